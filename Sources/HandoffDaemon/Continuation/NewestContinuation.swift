import AsyncSupport
import HandoffCore
import Synchronization

/// Lets one continuation at a time be fetched: a new one supersedes the one before.
final class NewestContinuation: Sendable {
    private let end = Mutex<Promise<Continuation.Event>?>(nil)

    /// Begins a continuation; returns what is fulfilled when the next one begins or the user cancels this one.
    func begin() -> Promise<Continuation.Event> {
        let new = Promise<Continuation.Event>()
        let old = end.withLock { end in
            defer { end = new }
            return end
        }
        old?.fulfil(Continuation.superseded)
        return new
    }

    /// Cancels the continuation that has begun last; this has no effect once its activity has arrived.
    func cancel() {
        let cancelled = HandoffError(.userCancelled, "The user has cancelled it.")
        end.withLock { $0 }?.fulfil(.failed(cancelled))
    }
}
