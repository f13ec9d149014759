import Synchronization

/// A value that is set once and awaited by any number of tasks, before and after it is set.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters = WaiterQueue<Value?>()
    }

    private let state = Mutex(State())

    /// The value; nil until it is set.
    package var valueIfSet: Value? { state.withLock(\.value) }

    /// Makes a promise without a value.
    package init() {}

    /// Sets the value and wakes all waiting tasks; of several calls the first counts.
    ///
    /// - Returns: whether this call has set the value.
    @discardableResult
    package func fulfil(_ value: Value) -> Bool {
        let waiters: [WaiterQueue<Value?>.Waiter]? = state.withLock { state in
            guard state.value == nil else { return nil }
            state.value = value
            return state.waiters.removeAll()
        }
        for waiter in waiters ?? [] { waiter.resume(returning: value) }
        return waiters != nil
    }

    /// Waits for the value.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before or while it waits.
    package func value() async throws(CancellationError) -> Value {
        let ticket = state.withLock { $0.waiters.makeTicket() }
        let value = await withTaskCancellationHandler {
            await wait(ticket, isCancellable: true)
        } onCancel: {
            let waiter = state.withLock { $0.waiters.remove(ticket) }
            waiter?.resume(returning: nil)
        }
        guard let value else { throw CancellationError() }
        return value
    }

    /// Waits for the value, even when the task is cancelled.
    ///
    /// For what must be awaited to its end, such as a thread. It lasts until the promise is fulfilled, so a
    /// cancellation has to reach the task that fulfils it.
    package func valueIgnoringCancellation() async -> Value {
        let ticket = state.withLock { $0.waiters.makeTicket() }
        guard let value = await wait(ticket, isCancellable: false) else {
            preconditionFailure("a wait that cannot be cancelled has ended without a value")
        }
        return value
    }

    private func wait(_ ticket: WaiterQueue<Value?>.Ticket, isCancellable: Bool) async -> Value? {
        await withCheckedContinuation { waiter in
            let answer: Value?? = state.withLock { state in
                // The cancellation handler may have run already, before there was a waiter to remove.
                if isCancellable, Task.isCancelled { return .some(nil) }
                if let value = state.value { return value }
                state.waiters.append(waiter, ticket)
                return .none
            }
            if let answer { waiter.resume(returning: answer) }
        }
    }
}
