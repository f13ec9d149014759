import Synchronization

/// A task that waits for a time, or until it is cancelled.
final class Sleeper: Sendable {
    private enum State: Sendable {
        /// It does not wait yet.
        case new
        case waiting(CheckedContinuation<Void, any Error>)
        case over
    }

    private let state = Mutex(State.new)

    /// Whether it does not wait any more.
    var isOver: Bool {
        state.withLock { state in
            if case .over = state { true } else { false }
        }
    }

    /// Begins to wait; returns false when it was cancelled before that, and is resumed already.
    func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        let begins = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !begins { continuation.resume(throwing: CancellationError()) }
        return begins
    }

    /// Resumes the task, because its time has come.
    func wakeUp() { end()?.resume() }

    /// Resumes the task, because it is cancelled; returns whether it has waited.
    func cancel() -> Bool {
        guard let continuation = end() else { return false }
        continuation.resume(throwing: CancellationError())
        return true
    }

    /// Ends the wait; returns what is to be resumed.
    private func end() -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
    }
}
