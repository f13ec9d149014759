private import Synchronization

/// A value that changes, and streams of its changes.
final class Published<Value: Sendable>: Sendable {
    private struct Subscriber {
        let yield: @Sendable (Value) -> Void
        let finish: @Sendable () -> Void
    }

    private struct State {
        var value: Value
        var subscribers: [Int: Subscriber] = [:]
        var lastSubscriber = 0
        var isFinished = false
    }

    private let state: Mutex<State>
    /// Held while streams are told, in the order of the changes.
    ///
    /// Ending a stream takes `state` only: a task that is being
    /// cancelled may wait for that one while telling waits for the task.
    private let telling = Mutex(())

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// The present value.
    var value: Value { state.withLock(\.value) }

    /// Changes the value and tells every stream.
    func update(_ change: (inout Value) -> Void) {
        telling.withLock { _ in
            let state = state.withLock { state in
                change(&state.value)
                return state
            }
            for subscriber in state.subscribers.values { subscriber.yield(state.value) }
        }
    }

    /// The present value, made into an `Element`, and then every later one; a slow reader gets the newest.
    func stream<Element: Sendable>(_ element: @escaping @Sendable (Value) -> Element) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(1))
        let subscriber = Subscriber(
            yield: { value in continuation.yield(element(value)) },
            finish: { continuation.finish() }
        )
        let key: Int? = telling.withLock { _ in
            let joined: (key: Int, value: Value)? = state.withLock { state in
                guard !state.isFinished else { return nil }
                state.lastSubscriber += 1
                state.subscribers[state.lastSubscriber] = subscriber
                return (state.lastSubscriber, state.value)
            }
            if let joined { subscriber.yield(joined.value) }
            return joined?.key
        }
        guard let key else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: key) }
        }
        return stream
    }

    /// Ends every stream, present and future.
    func finish() {
        // Ending a stream calls its `onTermination`, which takes the lock.
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [:] }
            return state.subscribers
        }
        for subscriber in subscribers.values { subscriber.finish() }
    }
}
