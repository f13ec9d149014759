import AsyncSupport
import TestLimits
import Testing

@Suite("A body runs beside background tasks", .endsWithin(minutes: 5))
struct BackgroundTasksTests {
    private let executor = ManualExecutor()
    private let log = EventLog<String>()

    @Test("The result of the body is returned after the background tasks were cancelled")
    func theResultComesThrough() async throws {
        let value = try await withBackgroundTasks([{ try await forever("task") }, {}]) { 7 }
        #expect(value == 7)
        #expect(log.events == ["task ended"])
    }

    @Test("The error of the body is thrown after the background tasks were cancelled")
    func theErrorOfTheBodyComesThrough() async {
        await #expect(throws: Failure(name: "body")) {
            try await withBackgroundTasks([{ try await forever("task") }]) { throw Failure(name: "body") }
        }
        #expect(log.events == ["task ended"])
    }

    @Test("A background task that throws cancels everything else, and its error is thrown")
    func anErrorOfATaskCancelsTheBody() async {
        await #expect(throws: Failure(name: "task")) {
            try await withBackgroundTasks([{ throw Failure(name: "task") }, { try await forever("other") }]) {
                try await forever("body")
            }
        }
        #expect(log.events.sorted() == ["body ended", "other ended"])
    }

    @Test("The error of a background task is thrown, whatever the body returns or throws after it")
    func anErrorOfATaskCounts() async {
        await #expect(throws: Failure(name: "task")) {
            try await withBackgroundTasks([{ throw Failure(name: "task") }]) {
                try? await untilCancelled()
                return 7
            }
        }
        await #expect(throws: Failure(name: "task")) {
            try await withBackgroundTasks([{ throw Failure(name: "task") }]) {
                try? await untilCancelled()
                throw Failure(name: "body")
            }
        }
    }

    @Test("The first error of two background tasks is thrown")
    func theFirstErrorCounts() async {
        await #expect(throws: Failure(name: "first")) {
            try await withBackgroundTasks(
                [
                    {
                        try? await untilCancelled()
                        throw Failure(name: "second")
                    },
                    { throw Failure(name: "first") },
                ],
                body: waitForCancellation
            )
        }
    }

    @Test("An error of a background task that comes after the end of the body is dropped")
    func anErrorAfterTheBodyDoesNotCount() async throws {
        let task: @Sendable () async throws -> Void = {
            try? await untilCancelled()
            throw Failure(name: "task")
        }
        let value = try await withBackgroundTasks([task]) { 7 }
        #expect(value == 7)
        await #expect(throws: Failure(name: "body")) {
            try await withBackgroundTasks([task]) { throw Failure(name: "body") }
        }
    }

    @Test("A background task that returns does not end the body")
    func aTaskMayReturn() {
        let gate = Promise<Int>()
        let outcome = start([{ log.append("task ended") }]) { try await gate.value() }
        executor.runUntilIdle()
        #expect(log.events == ["task ended"])
        gate.fulfil(7)
        executor.runUntilIdle()
        #expect(outcome.events == ["7"])
    }

    @Test(
        "Cancelling the caller cancels everything, and the outcome of the body is reported",
        arguments: [true, false]
    )
    func theCallerIsCancelled(_ bodyThrows: Bool) {
        let outcome = EventLog<String>()
        let caller = executor.start {
            await Self.note(outcome) {
                try await withBackgroundTasks([{ try await forever("task") }, { throw CancellationError() }]) {
                    try? await untilCancelled()
                    if bodyThrows { throw Failure(name: "body") }
                    return 7
                }
            }
        }
        // Cancelled before it begins, so that the second task's error comes when the caller is cancelled.
        caller.cancel()
        executor.runUntilIdle()
        #expect(outcome.events == [bodyThrows ? "body" : "7"])
        #expect(log.events == ["task ended"])
    }

    @Test("The call returns when every background task has ended, and not before")
    func everythingHasEnded() {
        let gate = Promise<Void>()
        let outcome = start([{ await gate.valueIgnoringCancellation() }]) { 7 }
        executor.runUntilIdle()
        #expect(outcome.events.isEmpty)
        gate.fulfil(())
        executor.runUntilIdle()
        #expect(outcome.events == ["7"])
    }

    @Test("The body may use the caller's non-sendable state")
    func theBodyUsesWhatTheCallerOwns() async throws {
        final class Counter { var count = 0 }
        let counter = Counter()
        var sum = 0
        for number in 1...3 {
            try await withBackgroundTasks([{ try await untilCancelled() }]) {
                counter.count += 1
                await Task.yield()
                sum += number
            }
        }
        #expect(counter.count == 3)
        #expect(sum == 6)
    }

    @Test("In ten thousand schedules every task has ended and the right error is thrown")
    func schedulesLeaveNothingRunning() async {
        await forEachSchedule { schedule in
            let scene = BackgroundTasksScene(schedule)
            let caller = scene.start()
            schedule.run {
                if schedule.chance(4) { scene.cancel(caller) }
            }
            // The tasks that are left wait to be cancelled.
            if schedule.runningCount > 0 { scene.cancel(caller) }
            schedule.run()
            schedule.expectAllEnded()
        }
    }

    private func forever(_ name: String) async throws {
        defer { log.append("\(name) ended") }
        try await waitForCancellation()
    }

    /// Starts a body with background tasks; the log gets its result, or the name of its failure.
    private func start(
        _ tasks: [@Sendable () async throws -> Void],
        body: @escaping @Sendable () async throws -> Int
    ) -> EventLog<String> {
        let outcome = EventLog<String>()
        executor.start { await Self.note(outcome) { try await withBackgroundTasks(tasks, body: body) } }
        return outcome
    }

    private static func note(_ outcome: EventLog<String>, _ operation: () async throws -> Int) async {
        do {
            outcome.append("\(try await operation())")
        } catch {
            outcome.append((error as? Failure)?.name ?? "\(error)")
        }
    }
}
