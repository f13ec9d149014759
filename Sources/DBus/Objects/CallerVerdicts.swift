import OrderedCollections

/// Decides whether the calls of a connection are answered.
///
/// It is asked once for each caller, by the caller's unique name, and may take its time: the caller's calls wait
/// meanwhile. It returns the error with which all calls of that caller are answered, or nil for one whose calls are
/// performed.
package typealias CallerAdmission = @Sendable (_ caller: BusName) async -> DBusError?

/// Which callers a connection answers, as far as it has been decided.
///
/// Confined to the connection's thread.
struct CallerVerdicts {
    enum Verdict: Equatable {
        case awaited
        case admitted
        case refused(DBusError)
    }

    /// How many callers are remembered; one that was forgotten is judged again.
    ///
    /// Unique names are never reused.
    static let maximum = 1024

    private var verdicts: OrderedDictionary<BusName, Verdict> = [:]

    /// Begins to judge a caller; returns false if that has begun before.
    mutating func begin(_ caller: BusName) -> Bool {
        guard verdicts[caller] == nil else { return false }
        if verdicts.count >= Self.maximum, let oldest = verdicts.elements.firstIndex(where: { $0.value != .awaited }) {
            verdicts.remove(at: oldest)
        }
        verdicts[caller] = .awaited
        return true
    }

    /// Records whether the calls of a caller are refused.
    mutating func end(_ caller: BusName, _ refusal: DBusError?) {
        verdicts[caller] = refusal.map { .refused($0) } ?? .admitted
    }

    /// Returns the error with which a call is answered; nil when it is performed.
    ///
    /// What is not decided is refused.
    func refusal(of caller: BusName) -> DBusError? {
        switch verdicts[caller] {
        case .admitted: nil
        case .refused(let error): error
        case .awaited, nil: .failure(.accessDenied, "whether \(caller) may call is not decided: call again")
        }
    }
}
