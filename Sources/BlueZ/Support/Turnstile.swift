import Synchronization

/// Lets one task at a time through, in the order in which they came.
package final class Turnstile: Sendable {
    private struct State {
        var isTaken = false
        var nextTicket = 0
        var queue: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Runs `body` when nobody else runs theirs.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; else what `body` throws.
    package func withTurn<Success>(
        _ body: () async throws -> Success,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Success {
        guard await enter() else { throw CancellationError() }
        defer { leave() }
        return try await body()
    }

    /// Waits for the turn; false when the task was cancelled first.
    private func enter(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if !state.isTaken {
                        state.isTaken = true
                        return true
                    }
                    state.queue.append((ticket, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            abandon(ticket)
        }
    }

    private func abandon(_ ticket: Int) {
        let waiter = state.withLock { state in
            state.queue.firstIndex { $0.ticket == ticket }.map { state.queue.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }

    private func leave() {
        let next = state.withLock { state in
            state.isTaken = !state.queue.isEmpty
            return state.queue.isEmpty ? nil : state.queue.removeFirst()
        }
        next?.continuation.resume(returning: true)
    }
}
