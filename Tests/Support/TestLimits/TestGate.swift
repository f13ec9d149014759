import Synchronization

/// Bounds how many tests of this process are under way at once, and how many inotify instances their programs take.
///
/// Everything starts at once otherwise: the more processors, the more programs.
final class TestGate: Sendable {
    /// What a test needs to be let in.
    struct Need: Sendable {
        var tests = 1
        var instances: Int
    }

    /// The one for the whole run.
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

    /// Runs `body` when it is its turn; the turns are in the order of the calls.
    func letIn<Success>(_ need: Need, _ body: () async throws -> Success) async rethrows -> Success {
        precondition(
            need.tests <= capacity.tests && need.instances <= capacity.instances,
            "A test needs \(need) and there is room for \(capacity)."
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
