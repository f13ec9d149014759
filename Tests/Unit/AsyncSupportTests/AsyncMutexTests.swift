import AsyncSupport
import TestLimits
import Testing

@Suite("An asynchronous mutex admits one task at a time", .endsWithin(minutes: 5))
struct AsyncMutexTests {
    private let executor = ManualExecutor()
    private let log = EventLog<String>()
    private let mutex = AsyncMutex()

    @Test("The result and the error of the body reach the caller")
    func theResultAndTheErrorComeThrough() async throws {
        let value = try await mutex.withLock { 7 }
        #expect(value == 7)
        await #expect(throws: Failure()) { try await mutex.withLock { throw Failure() } }
        let again = try await mutex.withLock { 8 }
        #expect(again == 8)
    }

    @Test("Tasks run one at a time, in the order of their requests")
    func tasksRunOneAtATimeInOrder() {
        for name in ["a", "b", "c"] {
            executor.start {
                try await mutex.withLock {
                    log.append("\(name) begins")
                    for _ in 1...3 { await Task.yield() }
                    log.append("\(name) ends")
                }
            }
        }
        executor.runUntilIdle()
        #expect(log.events == ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"])
    }

    @Test("A task that is cancelled before or while it waits does not run its body")
    func aCancelledWaiterDoesNotRun() async throws {
        let holder = executor.start { try await mutex.withLock { try await waitForCancellation() } }
        executor.runUntilIdle()
        let waiter = executor.start { try await mutex.withLock { log.append("waiter") } }
        executor.runUntilIdle()
        let late = executor.start { try await mutex.withLock { log.append("late") } }
        late.cancel()
        waiter.cancel()
        executor.runUntilIdle()
        holder.cancel()
        executor.runUntilIdle()
        #expect(log.events.isEmpty)
        for task in [holder, waiter, late] { await #expect(throws: CancellationError.self) { try await task.value } }
        try await mutex.withLock { log.append("free again") }
        #expect(log.events == ["free again"])
    }

    @Test("A task that ignores its cancellation runs its body in its turn")
    func aTaskThatIgnoresItsCancellationRuns() {
        let gate = Promise<Void>()
        executor.start { try await mutex.withLock { try await gate.value() } }
        executor.runUntilIdle()
        let waiter = executor.start { await mutex.withLockIgnoringCancellation { log.append("waiter") } }
        waiter.cancel()
        executor.runUntilIdle()
        #expect(log.events.isEmpty)
        gate.fulfil(())
        executor.runUntilIdle()
        let late = executor.start { await mutex.withLockIgnoringCancellation { log.append("late") } }
        late.cancel()
        executor.runUntilIdle()
        #expect(log.events == ["waiter", "late"])
    }

    @Test("A task that holds the mutex runs its body, even if it is cancelled before that")
    func aTaskThatWasGivenTheMutexRuns() {
        let gate = Promise<Void>()
        executor.start { try await mutex.withLock { try await gate.value() } }
        let waiter = executor.start { try await mutex.withLock { log.append("cancelled: \(Task.isCancelled)") } }
        executor.runUntilIdle()
        gate.fulfil(())
        // The holder releases the mutex, and the waiter has not run yet.
        executor.runJob(at: 0)
        waiter.cancel()
        executor.runUntilIdle()
        #expect(log.events == ["cancelled: true"])
    }

    @Test("In ten thousand schedules the mutex has one holder at a time, in order")
    func schedulesKeepExclusionAndOrder() async {
        await forEachSchedule { schedule in
            let mutex = AsyncMutex()
            let model = SemaphoreModel(1, schedule)
            let tasks = (0..<schedule.number(in: 2...6)).map { task in
                schedule.start {
                    for _ in 1...2 { await Self.lock(mutex, as: task, model, schedule) }
                }
            }
            schedule.run {
                guard schedule.chance(8) else { return }
                let task = schedule.number(in: 0...tasks.count - 1)
                model.willCancel(task)
                tasks[task].cancel()
            }
            schedule.expectAllEnded()
            schedule.expect(model.available == 1, "the mutex stays locked")
        }
    }

    private static func lock(
        _ mutex: AsyncMutex,
        as task: Int,
        _ model: SemaphoreModel,
        _ schedule: Schedule
    ) async {
        await schedule.pause()
        var hasRun = false
        model.willAcquire(task)
        do {
            try await mutex.withLock {
                hasRun = true
                model.didAcquire(task)
                // What follows is atomic with the release of the mutex.
                defer { model.willRelease() }
                await schedule.pause()
                if schedule.chance(30) { throw Failure() }
            }
        } catch {
            schedule.expect(hasRun == (error is Failure), "task \(task) got a wrong error: \(error)")
        }
        if !hasRun { model.didFail(task) }
    }
}
