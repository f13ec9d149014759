import Synchronization

/// Runs work that must not be cancelled with the task that asks for it, such as undoing what a cancelled task has done.
///
/// The work runs in child tasks of ``run()``, and is cancelled with that task only.
package final class UncancelledTaskRunner: Sendable {
    private typealias Work = @Sendable () async -> Void

    private struct State {
        var waiting: [Work] = []
        var hasEnded = false
    }

    private let errorAfterEnd: any Error
    private let state = Mutex(State())
    /// Changes whenever work is added.
    private let additions = CurrentValue(())

    /// Makes a runner that has not started.
    ///
    /// - Parameter errorAfterEnd: what ``perform(_:)`` throws once ``run()`` has ended. It should not be a
    ///   `CancellationError`, because the caller was not cancelled and must not end as if it was.
    package init(errorAfterEnd: any Error) {
        self.errorAfterEnd = errorAfterEnd
    }

    /// Runs the work until the task is cancelled; then cancels and awaits the work.
    ///
    /// All work that was added before is started, even if it is cancelled at once, because it may have something to
    /// undo. Work that is added later is refused. To be called once; work that is added before this call waits for it.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await _ in additions.values() {
                for work in take() { group.addTask { await work() } }
            }
            for work in take(isLast: true) { group.addTask { await work() } }
        }
    }

    /// Runs `work` and waits for it, even when the calling task is cancelled.
    ///
    /// - Throws: what `work` throws; the error that the runner was made with once ``run()`` has ended.
    package func perform<Success: Sendable>(
        _ work: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        let result: Result<Success, any Error> = await withCheckedContinuation { continuation in
            let isAccepted = add { continuation.resume(returning: await Result(catching: work)) }
            if !isAccepted { continuation.resume(returning: .failure(errorAfterEnd)) }
        }
        return try result.get()
    }

    /// Runs `work` without waiting for it.
    ///
    /// - Returns: whether the work will run; false once ``run()`` has ended.
    @discardableResult
    package func submit(_ work: @escaping @Sendable () async -> Void) -> Bool {
        add(work)
    }

    /// Adds work for ``run()``; returns false when that has ended.
    private func add(_ work: @escaping Work) -> Bool {
        let isAccepted = state.withLock { state in
            if !state.hasEnded { state.waiting.append(work) }
            return !state.hasEnded
        }
        if isAccepted { additions.set(()) }
        return isAccepted
    }

    private func take(isLast: Bool = false) -> [Work] {
        state.withLock { state in
            state.hasEnded = isLast
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
