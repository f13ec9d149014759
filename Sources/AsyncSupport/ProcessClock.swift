private import Synchronization

/// The continuous clock of Swift, with waits that cost a process that rests nothing.
///
/// On Linux, `Task.sleep` starts threads of libdispatch, and one of these wakes up once a second for as long as the process
/// lives. A program with threads of its own for its tasks waits on these (TaskThreads); any other waits as Swift does.
package struct ProcessClock: Clock {
    package typealias Instant = ContinuousClock.Instant
    /// Waits until an instant; throws `CancellationError` when the task is cancelled first.
    package typealias Wait = @Sendable (Instant) async throws -> Void

    private static let wait = Mutex<Wait?>(nil)

    package init() {}

    package var now: Instant { .now }
    package var minimumResolution: Duration { ContinuousClock().minimumResolution }

    /// Waits as `wait` does from now on, in the whole process; to be called before its first task.
    package static func use(_ wait: @escaping Wait) {
        Self.wait.withLock { $0 = wait }
    }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        if let wait = Self.wait.withLock({ $0 }) { return try await wait(deadline) }
        try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
    }
}

/// Waits for some time, which also passes while the machine is suspended.
///
/// - Throws: `CancellationError` when the task is cancelled first.
package func sleep(for time: Duration) async throws { try await ProcessClock().sleep(for: time) }
