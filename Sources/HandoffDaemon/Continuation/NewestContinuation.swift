import AsyncSupport
import Synchronization

/// Lets one continuation at a time be fetched: a new one supersedes the one before.
final class NewestContinuation: Sendable {
    private let superseded = Mutex<Promise<Void>?>(nil)

    /// Begins a continuation; returns what is fulfilled when the next one begins.
    func begin() -> Promise<Void> {
        let new = Promise<Void>()
        let old = superseded.withLock { superseded in
            defer { superseded = new }
            return superseded
        }
        old?.fulfil(())
        return new
    }
}
