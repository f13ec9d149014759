import Synchronization

/// A value of which only the newest matters, handed from whoever sets it to whoever waits for it to change.
///
/// Unlike an `AsyncStream`, it survives the cancellation of a waiting task: a body that was cancelled because the radio
/// went away must not end the mailbox that the next body reads.
package final class Latest<Value: Sendable>: Sendable {
    /// A value and its number; a later value has a higher one.
    package struct Version: Sendable {
        package let value: Value
        package let number: UInt64
    }

    private struct State {
        var version: Version
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) {
        initial = Version(value: value, number: 0)
        state = Mutex(State(version: initial))
    }

    /// The newest value.
    package var current: Version { state.withLock { $0.version } }

    /// The value that it was made with.
    package let initial: Version

    /// Replaces the value and wakes everybody who waits.
    package func set(_ value: Value) {
        set(value) { _ in true }
    }

    private func set(_ value: Value, if isDue: (Value) -> Bool) {
        let waiters = state.withLock { state in
            guard isDue(state.version.value) else { return [CheckedContinuation<Void, Never>]() }
            state.version = Version(value: value, number: state.version.number + 1)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The newest value, as soon as it is newer than `version`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func changed(since version: Version) async throws -> Version {
        while true {
            try Task.checkCancellation()
            let newest = current
            if newest.number > version.number { return newest }
            await wait(since: version.number)
        }
    }

    private func wait(since number: UInt64) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || state.version.number > number { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}

extension Latest where Value: Equatable {
    /// Replaces the value unless it is the same.
    package func update(_ value: Value) {
        set(value) { $0 != value }
    }
}

extension Latest {
    /// Gives the value, unless it has one: of several outcomes the first counts.
    func setOnce<Wrapped>(_ value: Wrapped) where Value == Wrapped? {
        set(value) { $0 == nil }
    }
}
