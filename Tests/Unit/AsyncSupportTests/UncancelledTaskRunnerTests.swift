import AsyncSupport
import TestLimits
import Testing

@Suite("A runner does not cancel work when the task that requested it is cancelled", .endsWithin(minutes: 5))
struct UncancelledTaskRunnerTests {
    private let executor = ManualExecutor()
    private let runner = UncancelledTaskRunner(errorAfterEnd: Failure(name: "ended"))
    private let log = EventLog<String>()

    @Test("The result and the error of the work reach the caller")
    func theResultAndTheErrorComeThrough() {
        start()
        perform("a") { "7" }
        perform("b") { throw Failure(name: "work") }
        executor.runUntilIdle()
        #expect(log.events == ["a: 7", "b: work"])
    }

    @Test("Work runs to its end if the caller is cancelled before or while it waits")
    func workIsNotCancelledWithTheCaller() {
        start()
        let gate = Promise<String>()
        perform("before") { "cancelled: \(Task.isCancelled)" }.cancel()
        let waiting = perform("while") { try await gate.value() }
        executor.runUntilIdle()
        waiting.cancel()
        executor.runUntilIdle()
        #expect(log.events == ["before: cancelled: false"])
        gate.fulfil("done")
        executor.runUntilIdle()
        #expect(log.events == ["before: cancelled: false", "while: done"])
    }

    @Test("Work does not wait for other work")
    func workRunsSideBySide() {
        start()
        let gate = Promise<String>()
        perform("slow") { try await gate.value() }
        perform("quick") { "done" }
        runner.submit { log.append("submitted") }
        executor.runUntilIdle()
        #expect(log.events.sorted() == ["quick: done", "submitted"])
        gate.fulfil("done")
        executor.runUntilIdle()
        #expect(log.events.last == "slow: done")
    }

    @Test("Work that is added before the runner starts waits for it")
    func workWaitsForTheRunner() {
        perform("early") { "done" }
        runner.submit { log.append("submitted") }
        executor.runUntilIdle()
        #expect(log.events.isEmpty)
        start()
        executor.runUntilIdle()
        #expect(log.events.sorted() == ["early: done", "submitted"])
    }

    @Test("Cancelling the runner cancels and awaits the work, and later work is refused")
    func workIsCancelledWithTheRunner() {
        let run = start()
        let gate = Promise<Void>()
        perform("work") {
            try? await untilCancelled()
            await gate.valueIgnoringCancellation()
            return "undone"
        }
        executor.runUntilIdle()
        run.cancel()
        executor.runUntilIdle()
        perform("late") { "done" }
        runner.submit { log.append("submitted") }
        executor.runUntilIdle()
        #expect(log.events == ["late: ended"])
        gate.fulfil(())
        executor.runUntilIdle()
        #expect(log.events == ["late: ended", "work: undone", "runner ended"])
    }

    @Test("Work that is added just before the runner is cancelled is started, but cancelled")
    func workIsBegunThoughCancelled() {
        let run = start()
        executor.runUntilIdle()
        perform("work") { "cancelled: \(Task.isCancelled)" }
        runner.submit { log.append("submitted: \(Task.isCancelled)") }
        // The work is added, and the runner has not taken it yet.
        executor.runJob(at: 0)
        run.cancel()
        executor.runUntilIdle()
        #expect(log.events.sorted() == ["runner ended", "submitted: true", "work: cancelled: true"])
    }

    @discardableResult
    private func start() -> Task<Void, any Error> {
        executor.start {
            await runner.run()
            log.append("runner ended")
        }
    }

    @discardableResult
    private func perform(
        _ name: String,
        _ work: @escaping @Sendable () async throws -> String
    ) -> Task<Void, any Error> {
        executor.start {
            do {
                log.append("\(name): \(try await runner.perform(work))")
            } catch {
                log.append("\(name): \((error as? Failure)?.name ?? "\(error)")")
            }
        }
    }
}
