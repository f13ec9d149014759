private import Synchronization

/// A number of permissions that tasks wait for, first come first served.
final class Credits: Sendable {
    private struct State {
        var available: Int
        var waiters: [(ticket: Int, waiter: CheckedContinuation<Bool, Never>)] = []
        var lastTicket = 0
        var isClosed = false
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(available: count))
    }

    /// Waits for a permission; false when the task is cancelled or the credits are closed.
    func take() async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { state in
                    guard !state.isClosed, !Task.isCancelled else { return waiter.resume(returning: false) }
                    guard state.available == 0 else {
                        state.available -= 1
                        return waiter.resume(returning: true)
                    }
                    state.waiters.append((ticket, waiter))
                }
            }
        } onCancel: {
            state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.ticket == ticket }) else { return }
                state.waiters.remove(at: index).waiter.resume(returning: false)
            }
        }
    }

    /// Returns a permission.
    func give() {
        state.withLock { state in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst().waiter.resume(returning: true) }
            state.available += 1
        }
    }

    /// Ends every wait, present and future.
    func close() {
        state.withLock { state in
            state.isClosed = true
            for (_, waiter) in state.waiters { waiter.resume(returning: false) }
            state.waiters = []
        }
    }
}
