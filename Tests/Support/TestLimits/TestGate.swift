import Synchronization

/// Limits how many tests of this process run concurrently, and how many inotify instances their programs use.
///
/// Without it, the number of concurrent tests and programs would grow with the number of processors.
final class TestGate: Sendable {
    /// What a test needs to be admitted.
    struct Need: Sendable {
        var tests = 1
        var instances: Int
    }

    /// The gate of the whole run.
    static let shared = TestGate(Need(tests: 24, instances: 24))

    private struct State {
        var free: Need
        var waiters: [(need: Need, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let capacity: Need
    private let state: Mutex<State>

    init(_ capacity: Need) {
        self.capacity = capacity
        state = Mutex(State(free: capacity))
    }

    /// Runs `body` once there is room for it; tests are admitted in the order of the calls.
    func letIn<Success>(_ need: Need, _ body: () async throws -> Success) async rethrows -> Success {
        precondition(
            need.tests <= capacity.tests && need.instances <= capacity.instances,
            "A test needs \(need), but the gate has only room for \(capacity)."
        )
        await withCheckedContinuation { continuation in
            change { $0.waiters.append((need, continuation)) }
        }
        defer {
            change { state in
                state.free.tests += need.tests
                state.free.instances += need.instances
            }
        }
        return try await body()
    }

    private func change(_ change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let next = state.waiters.first, next.need.tests <= state.free.tests,
                next.need.instances <= state.free.instances
            {
                state.free.tests -= next.need.tests
                state.free.instances -= next.need.instances
                admitted.append(state.waiters.removeFirst().continuation)
            }
            return admitted
        }
        for continuation in admitted { continuation.resume() }
    }
}
