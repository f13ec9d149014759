import OrderedCollections

/// Decides whether the calls of a connection are answered.
///
/// It is asked once for each caller, by the caller's unique name, and may take its time: the caller's calls wait
/// meanwhile.
package typealias CallerAdmission = @Sendable (_ caller: BusName) async -> CallerVerdict

/// Which callers a connection answers, as far as it has been decided.
///
/// Confined to the loop's thread.
struct CallerVerdicts {
    private enum State: Equatable {
        case awaited
        case decided(CallerVerdict)
    }

    /// How many callers are remembered; one that was forgotten is judged again.
    ///
    /// Unique names are never reused.
    static let maximum = 1024

    private var states: OrderedDictionary<BusName, State> = [:]

    /// Begins to judge a caller; returns false if that has begun before, and did not end without a decision.
    mutating func begin(_ caller: BusName) -> Bool {
        switch states[caller] {
        case .awaited, .decided(.admitted), .decided(.refused): return false
        case .decided(.undecided), nil: break
        }
        if states.count >= Self.maximum, let oldest = states.elements.firstIndex(where: { $0.value != .awaited }) {
            states.remove(at: oldest)
        }
        states[caller] = .awaited
        return true
    }

    /// Records what is decided about a caller.
    mutating func end(_ caller: BusName, _ verdict: CallerVerdict) { states[caller] = .decided(verdict) }

    /// Records that nobody can be asked about a caller now.
    mutating func giveUp(_ caller: BusName) { end(caller, .undecided(Self.missing(caller))) }

    /// Returns the error with which a call is answered; nil when it is performed.
    ///
    /// What is not decided is refused.
    func refusal(of caller: BusName) -> DBusError? {
        switch states[caller] {
        case .decided(.admitted): nil
        case .decided(.refused(let error)), .decided(.undecided(let error)): error
        case .awaited, nil: Self.missing(caller)
        }
    }

    private static func missing(_ caller: BusName) -> DBusError {
        .failure(.accessDenied, "whether \(caller) may call is not decided: call again")
    }
}
