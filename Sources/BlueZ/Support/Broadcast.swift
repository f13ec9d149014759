import Synchronization

/// A value that any number of readers follow, each seeing the newest and missing those between.
package final class Broadcast<Element: Hashable & Sendable>: Sendable {
    private struct State {
        var value: Element
        var isFinished = false
        var nextReader = 0
        var readers: [Int: AsyncStream<Element>.Continuation] = [:]
    }

    private let state: Mutex<State>

    /// Held while readers are told, so that they are told in order.
    ///
    /// It must not be the other lock: cancelling a reader runs `forget` under a lock of the reader's task, and telling
    /// that reader needs the same lock.
    private let telling = Mutex<Void>(())

    /// The value as it is now.
    package var value: Element { state.withLock(\.value) }

    package init(_ value: Element) {
        state = Mutex(State(value: value))
    }

    /// The value at once as it is now, then after every change.
    package func values() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            continuation.yield(state.value)
            guard !state.isFinished else { return continuation.finish() }
            let reader = state.nextReader
            state.nextReader += 1
            state.readers[reader] = continuation
            continuation.onTermination = { [weak self] _ in self?.forget(reader) }
        }
        return stream
    }

    /// Changes the value, and tells every reader unless nothing changed.
    package func publish(_ value: Element) {
        telling.withLock { _ in
            let readers = state.withLock { state in
                guard state.value != value, !state.isFinished else { return [AsyncStream<Element>.Continuation]() }
                state.value = value
                return Array(state.readers.values)
            }
            for reader in readers { reader.yield(value) }
        }
    }

    /// Ends the sequences of all readers, now and later.
    package func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    private func forget(_ reader: Int) {
        state.withLock { $0.readers[reader] = nil }
    }
}
