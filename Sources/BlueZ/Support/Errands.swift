import Synchronization

/// Runs work that its caller waits for and whose cancellation the work does not feel.
///
/// Undoing needs it: a task that was cancelled could not call bluetoothd any more. The errands run as children of
/// ``run()``, and are cancelled with it.
package final class Errands: Sendable {
    private struct Errand: Sendable {
        let work: @Sendable () async -> Void
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var waiting: [Errand] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    package init() {
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Runs errands until the task is cancelled; from then on they are refused.
    ///
    /// To be called once.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await _ in arrivals {
                for errand in take() {
                    group.addTask { await errand.work() }
                }
            }
            for errand in close() { errand.refuse() }
        }
    }

    /// Has `work` done, and waits for it even when the calling task is cancelled.
    ///
    /// - Throws: what `work` throws, or ``BlueZError`` with `busLost` when ``run()`` has ended.
    package func perform<Success: Sendable>(
        _ work: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        let result: Result<Success, any Error> = await withCheckedContinuation { continuation in
            enqueue(
                Errand {
                    continuation.resume(returning: await Self.outcome(work))
                } refuse: {
                    // Nobody cancelled the caller: it must not take this for its own end.
                    continuation.resume(
                        returning: .failure(BlueZError(.busLost, "the connection to the system bus is being closed"))
                    )
                }
            )
        }
        return try result.get()
    }

    /// Has `work` done without waiting for it; drops it when ``run()`` has ended.
    package func post(_ work: @escaping @Sendable () async -> Void) {
        enqueue(Errand(work: work, refuse: {}))
    }

    private static func outcome<Success: Sendable>(
        _ work: @Sendable () async throws -> Success
    ) async -> Result<Success, any Error> {
        do { return .success(try await work()) } catch { return .failure(error) }
    }

    private func enqueue(_ errand: Errand) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.waiting.append(errand) }
            return state.isClosed
        }
        if isClosed {
            errand.refuse()
        } else {
            arrived.yield()
        }
    }

    private func take() -> [Errand] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func close() -> [Errand] {
        state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
