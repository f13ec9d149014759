import AsyncSupport
import Synchronization

/// A body with some background tasks, each of which waits for some time or until it is cancelled and returns or throws.
final class BackgroundTasksScene: Sendable {
    private enum Event: Equatable {
        case bodyEnded
        case taskFailed(String)
        case callerCancelled
    }

    private struct State {
        var running = 0
        var events: [Event] = []
    }

    private let schedule: Schedule
    private let state = Mutex(State())

    init(_ schedule: Schedule) {
        self.schedule = schedule
    }

    func start() -> Task<Void, any Error> {
        schedule.start {
            let count = self.schedule.number(in: 0...3)
            let tasks = (0..<count).map { number -> @Sendable () async throws -> Void in
                { try await self.play("task \(number)") { .taskFailed($0) } }
            }
            let result: Result<Int, any Error> = await Result {
                try await withBackgroundTasks(tasks) {
                    try await self.play("body") { _ in .bodyEnded }
                    return 7
                }
            }
            self.check(result)
        }
    }

    func cancel(_ caller: Task<Void, any Error>) {
        state.withLock { $0.events.append(.callerCancelled) }
        caller.cancel()
    }

    /// The work of a child task; its end is recorded in the step in which it happens.
    private func play(_ name: String, _ failed: (String) -> Event) async throws {
        state.withLock { $0.running += 1 }
        await schedule.pause()
        if schedule.chance(60) { try? await untilCancelled() }
        await schedule.pause()
        let fails = schedule.chance(40)
        state.withLock { state in
            state.running -= 1
            if fails || name == "body" { state.events.append(failed(name)) }
        }
        if fails { throw Failure(name: name) }
    }

    private func check(_ result: Result<Int, any Error>) {
        let (running, events) = state.withLock { ($0.running, $0.events) }
        schedule.expect(running == 0, "\(running) children still run")
        let bodyEnd = events.firstIndex(of: .bodyEnded) ?? events.count
        let failure = events.indices.first { if case .taskFailed = events[$0] { $0 < bodyEnd } else { false } }
        let cancellation = events.firstIndex(of: .callerCancelled)
        let name = result.failureName
        guard let failure, case .taskFailed(let expected) = events[failure] else {
            return schedule.expect(
                name == nil || name == "body",
                "the outcome is \(name ?? ""), not the body's: \(events)"
            )
        }
        // The caller receives the failure some steps later, and may have been cancelled meanwhile.
        let mayBeTask = cancellation.map { failure < $0 } ?? true
        let mayBeBody = cancellation != nil
        let isRight = name == expected ? mayBeTask : mayBeBody && (name == nil || name == "body")
        schedule.expect(isRight, "the outcome is \(name ?? "the result"), not \(expected): \(events)")
    }
}

extension Result where Success == Int, Failure == any Error {
    /// The name of the task or body that has thrown; nil for a value.
    fileprivate var failureName: String? {
        guard case .failure(let error) = self else { return nil }
        return (error as? AsyncSupportTests.Failure)?.name ?? "\(error)"
    }
}
