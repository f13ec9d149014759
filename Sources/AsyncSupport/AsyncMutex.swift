/// Lets one task at a time run a critical section that may suspend, in the order in which the tasks asked.
///
/// State that changes without suspension needs only the `Mutex` of Synchronization.
package final class AsyncMutex: Sendable {
    private let semaphore = CountingSemaphore(1)

    /// Makes a mutex that is not locked.
    package init() {}

    /// Runs `body` while no other task runs a body under this mutex.
    ///
    /// Not reentrant: a body that locks the same mutex again waits until it is cancelled.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before or while it waits, and then `body` has not run;
    ///   else what `body` throws.
    package func withLock<Success>(_ body: () async throws -> Success) async throws -> Success {
        try await semaphore.withPermit(body)
    }

    /// Runs `body` as ``withLock(_:)`` does, even if the task is cancelled before or while it waits.
    ///
    /// For steps that must not be left out, whose predecessors are known to end.
    ///
    /// - Throws: what `body` throws.
    package func withLockIgnoringCancellation<Success>(_ body: () async throws -> Success) async rethrows -> Success {
        let hasPermit = await semaphore.acquireIgnoringCancellation()
        precondition(hasPermit, "a mutex is never closed")
        defer { semaphore.release() }
        return try await body()
    }
}
