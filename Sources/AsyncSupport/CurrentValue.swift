import Synchronization

/// A value of which only the newest matters, passed from the tasks that set it to the tasks that wait for it to change.
///
/// The same as `watch` of tokio. Every change has a number, and a reader asks for a change since the one that it has
/// seen. So no change is lost between two waits, and all readers see changes in the same order, but skip those between
/// two reads. A reader whose task is cancelled affects no other reader.
package final class CurrentValue<Value: Sendable>: Sendable {
    /// A value and its version.
    package struct Snapshot: Sendable {
        package let value: Value
        /// 0 for the initial value, and one more after each change.
        package let version: UInt64
    }

    private struct State {
        var newest: Snapshot
        var isFinished = false
        var waiters = WaiterQueue<Bool>()
    }

    private let state: Mutex<State>

    /// The value that this object was made with.
    package let initial: Snapshot

    /// The newest value with its version.
    package var current: Snapshot { state.withLock(\.newest) }

    /// The newest value.
    package var value: Value { current.value }

    package init(_ value: Value) {
        initial = Snapshot(value: value, version: 0)
        state = Mutex(State(newest: initial))
    }

    // MARK: Changing the value

    /// Replaces the value and wakes all waiting readers, even when the new value equals the old one.
    ///
    /// Does nothing after ``finish()``.
    package func set(_ value: Value) {
        set(value) { _ in true }
    }

    /// Replaces the value if `condition` holds for the old one, as one atomic step.
    ///
    /// - Parameters:
    ///   - value: the new value.
    ///   - condition: runs under a lock, so it must be quick and must not use this object.
    /// - Returns: whether the value was replaced; false after ``finish()``.
    @discardableResult
    package func set(_ value: Value, if condition: (Value) -> Bool) -> Bool {
        change { current in
            guard condition(current) else { return false }
            current = value
            return true
        }
    }

    /// Changes the value in place and wakes all waiting readers.
    ///
    /// Does nothing after ``finish()``. `change` runs under a lock, so it must be quick and must not use this object.
    package func modify(_ change: (inout Value) -> Void) {
        self.change { value in
            change(&value)
            return true
        }
    }

    /// Makes the newest value the last one: streams end after it, and waiting for a change throws.
    package func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            return state.waiters.removeAll()
        }
        for waiter in waiters { waiter.resume(returning: false) }
    }

    // MARK: Following the value

    /// Returns the newest value as soon as it is newer than `snapshot`, which is one of this object.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before or while it waits, or when the value is finished
    ///   and no newer.
    package func changed(since snapshot: Snapshot) async throws(CancellationError) -> Snapshot {
        let ticket = state.withLock { $0.waiters.makeTicket() }
        let hasChanged = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let answer = state.withLock { Self.answer(waiter, ticket, since: snapshot, &$0) }
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.remove(ticket) }
            waiter?.resume(returning: false)
        }
        guard hasChanged else { throw CancellationError() }
        // It may have changed again since the waiter was resumed.
        return current
    }

    /// A stream of the value as it is when reading begins, then of the newest value after each change.
    ///
    /// Each call makes a stream of its own, for one reader. A slow reader skips values, as with a buffer for the newest
    /// one. The stream ends after ``finish()``, and when the reader's task is cancelled.
    package func values() -> AsyncStream<Value> {
        values { $0 }
    }

    /// A stream as ``values()``, of what `transform` makes of each value that is read.
    package func values<Element: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Element
    ) -> AsyncStream<Element> {
        let seen = Mutex<Snapshot?>(nil)
        return AsyncStream {
            let next = await self.next(after: seen.withLock(\.self))
            guard let next else { return nil }
            seen.withLock { $0 = next }
            return transform(next.value)
        }
    }

    private func next(after seen: Snapshot?) async -> Snapshot? {
        guard let seen else { return current }
        return try? await changed(since: seen)
    }

    /// Decides whether there is a newer value, or adds the caller to the queue and returns nil.
    private static func answer(
        _ waiter: WaiterQueue<Bool>.Waiter,
        _ ticket: WaiterQueue<Bool>.Ticket,
        since snapshot: Snapshot,
        _ state: inout State
    ) -> Bool? {
        // The cancellation handler may have run already, before there was a waiter to remove.
        if Task.isCancelled { return false }
        if state.newest.version > snapshot.version { return true }
        if state.isFinished { return false }
        state.waiters.append(waiter, ticket)
        return nil
    }

    /// Changes the value if `change` returns true; returns whether it did.
    ///
    /// Waiters are resumed after the lock is released, so those of two changes may resume in any order. No reader sees
    /// the changes in a wrong order, because readers read value and version together, under the lock.
    @discardableResult
    private func change(_ change: (inout Value) -> Bool) -> Bool {
        let waiters: [WaiterQueue<Bool>.Waiter]? = state.withLock { state in
            var value = state.newest.value
            guard !state.isFinished, change(&value) else { return nil }
            state.newest = Snapshot(value: value, version: state.newest.version + 1)
            return state.waiters.removeAll()
        }
        for waiter in waiters ?? [] { waiter.resume(returning: true) }
        return waiters != nil
    }
}

extension CurrentValue where Value: Equatable {
    /// Replaces the value and wakes all waiting readers, unless the new value equals the old one.
    ///
    /// - Returns: whether the value was replaced; false after ``finish()``.
    @discardableResult
    package func update(_ value: Value) -> Bool {
        set(value) { $0 != value }
    }
}

extension CurrentValue {
    /// Sets the value if it is nil; of several calls the first counts.
    ///
    /// - Returns: whether the value was set; false after ``finish()``.
    @discardableResult
    package func setOnce<Wrapped>(_ value: Wrapped) -> Bool where Value == Wrapped? {
        set(value) { $0 == nil }
    }
}
