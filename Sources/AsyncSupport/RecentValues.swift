import Synchronization

/// The values that were added since they were taken last, in their order; of equal ones the newest, of too many the newest.
///
/// Beside a ``CurrentValue`` whose reader has to know what it skips.
package final class RecentValues<Value: Hashable & Sendable>: Sendable {
    private let limit: Int
    private let values = Mutex([Value]())

    /// - Parameter limit: the most values that are kept, at least 1.
    package init(limit: Int) {
        self.limit = limit
    }

    package func add(_ value: Value) {
        values.withLock { $0 = ($0.filter { $0 != value } + [value]).suffix(limit) }
    }

    /// Returns the values, and forgets them.
    package func take() -> [Value] {
        values.withLock { values in
            defer { values = [] }
            return values
        }
    }
}
