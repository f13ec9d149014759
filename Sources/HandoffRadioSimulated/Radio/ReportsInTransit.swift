import Synchronization

/// Counts the reports that a scan has received and that are not due yet, so that no sender can make it keep many.
final class ReportsInTransit: Sendable {
    /// How many there are at most; more are not heard.
    ///
    /// 100 stations send 700 in a second, and a delay is a second at most.
    static let limit = 4096

    private let count = Mutex(0)

    /// Counts one more report; returns false if there are too many.
    func begin() -> Bool {
        count.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
    }

    /// Counts one less.
    func end() {
        count.withLock { $0 -= 1 }
    }
}
