import Glibc
import Synchronization
import Testing

/// One schedule of several tasks: a seed decides which of them runs next, where they yield, and when the test acts.
///
/// All of it happens on one thread, so the same seed always gives the same schedule.
final class Schedule: Sendable {
    private struct State {
        var random: SeededGenerator
        var step = 0
        var running = 0
        var failure: String?
    }

    private let executor = ManualExecutor()
    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    /// The first finding with its step; nil when there is none.
    var failure: String? { state.withLock(\.failure) }

    /// The number of tasks that have not ended.
    var runningCount: Int { state.withLock(\.running) }

    // MARK: Decisions

    func number(in range: ClosedRange<Int>) -> Int {
        state.withLock { Int.random(in: range, using: &$0.random) }
    }

    func chance(_ percent: Int) -> Bool {
        number(in: 1...100) <= percent
    }

    func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(in: 0...elements.count - 1)]
    }

    /// Lets other tasks run, a few times or not at all.
    func pause() async {
        for _ in 0..<number(in: 0...2) { await Task.yield() }
    }

    // MARK: Findings

    /// Records a finding unless `condition` holds; of several findings the first is kept.
    func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) {
        guard !condition else { return }
        let otherwise = otherwise()
        state.withLock { $0.failure = $0.failure ?? "step \($0.step): \(otherwise)" }
    }

    // MARK: Running

    /// Starts a task, which runs when it is picked.
    func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, any Error> {
        state.withLock { $0.running += 1 }
        return executor.start {
            await body()
            self.state.withLock { $0.running -= 1 }
        }
    }

    /// Runs jobs in a random order until none is ready, and `disturb` before each of them.
    func run(disturb: () -> Void = {}) {
        while failure == nil, executor.readyCount > 0 {
            state.withLock { $0.step += 1 }
            disturb()
            executor.runJob(at: number(in: 0...executor.readyCount - 1))
        }
    }

    /// Checks that every task has ended.
    func expectAllEnded() {
        expect(runningCount == 0, "\(runningCount) tasks wait for ever")
    }
}

/// Runs ten thousand schedules, one for each seed from 0 on; the first that fails is reported with its seed and step.
///
/// A trap ends the process without a report: with `TRACE_SCHEDULES` in the environment, the last seed is printed
/// before.
func forEachSchedule(_ body: (Schedule) -> Void) async {
    let traces = getenv("TRACE_SCHEDULES") != nil
    for seed in 0..<UInt64(10_000) {
        if traces { print("seed \(seed)") }
        let schedule = Schedule(seed: seed)
        body(schedule)
        if let failure = schedule.failure {
            Issue.record("seed \(seed), \(failure)")
            return
        }
        // Other tests share this thread.
        if seed.isMultiple(of: 64) { await Task.yield() }
    }
}
