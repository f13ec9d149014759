import Synchronization

/// Admits at most a fixed number of holders at a time, in the order in which they asked.
///
/// A task may release a permit that another task has acquired.
package final class CountingSemaphore: Sendable {
    private struct State {
        var available: Int
        /// Empty while a permit is available, so no task can overtake a waiter.
        var waiters = WaiterQueue<Bool>()
        var isClosed = false
    }

    private let limit: Int
    private let state: Mutex<State>

    /// The number of permits that are not acquired.
    package var availablePermits: Int { state.withLock(\.available) }

    /// Makes a semaphore with `permits` permits, at least 0, none of them acquired.
    package init(_ permits: Int) {
        precondition(permits >= 0, "a semaphore cannot have \(permits) permits")
        limit = permits
        state = Mutex(State(available: permits))
    }

    /// Acquires a permit without waiting; returns false when none is available or the semaphore is closed.
    ///
    /// After true, the permit has to be released with ``release()``.
    package func tryAcquire() -> Bool {
        state.withLock { state in
            guard state.available > 0, !state.isClosed else { return false }
            state.available -= 1
            return true
        }
    }

    /// Acquires a permit, and waits for one in the order of the calls.
    ///
    /// When it returns, the permit has to be released with ``release()``, even if the task has been cancelled
    /// meanwhile.
    ///
    /// - Throws: `CancellationError`, without a permit, when the task is cancelled before or while it waits, or when
    ///   the semaphore is closed.
    package func acquire() async throws(CancellationError) {
        let ticket = state.withLock { $0.waiters.makeTicket() }
        let hasPermit = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let answer = state.withLock { Self.answer(waiter, ticket, &$0) }
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.remove(ticket) }
            waiter?.resume(returning: false)
        }
        guard hasPermit else { throw CancellationError() }
    }

    /// Acquires a permit as ``acquire()`` does, even if the task is cancelled.
    ///
    /// - Returns: whether there is a permit, which has to be released; false when the semaphore is closed.
    package func acquireIgnoringCancellation() async -> Bool {
        let ticket = state.withLock { $0.waiters.makeTicket() }
        return await withCheckedContinuation { waiter in
            let answer = state.withLock { Self.answer(waiter, ticket, isCancellable: false, &$0) }
            if let answer { waiter.resume(returning: answer) }
        }
    }

    /// Releases a permit; the task that has waited longest gets it.
    ///
    /// Releasing more permits than were acquired is a programming error and traps.
    package func release() {
        let next = state.withLock { state in
            precondition(state.available < limit, "a permit was released that was not acquired")
            let next = state.waiters.popFirst()
            // The permit passes to the waiter directly, so no other task can take it before the waiter runs.
            if next == nil { state.available += 1 }
            return next
        }
        next?.resume(returning: true)
    }

    /// Runs `body` with a permit, and releases the permit when `body` ends.
    ///
    /// - Throws: `CancellationError` as ``acquire()``, and then `body` has not run; else what `body` throws.
    package func withPermit<Success>(_ body: () async throws -> Success) async throws -> Success {
        try await acquire()
        defer { release() }
        return try await body()
    }

    /// Ends every wait, present and future, without a permit; permits that are held stay valid until they are released.
    package func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            return state.waiters.removeAll()
        }
        for waiter in waiters { waiter.resume(returning: false) }
    }

    /// Decides whether the caller gets a permit, or adds it to the queue and returns nil.
    private static func answer(
        _ waiter: WaiterQueue<Bool>.Waiter,
        _ ticket: WaiterQueue<Bool>.Ticket,
        isCancellable: Bool = true,
        _ state: inout State
    ) -> Bool? {
        // The cancellation handler may have run already, before there was a waiter to remove.
        if state.isClosed || isCancellable && Task.isCancelled { return false }
        if state.available > 0 {
            state.available -= 1
            return true
        }
        state.waiters.append(waiter, ticket)
        return nil
    }
}
