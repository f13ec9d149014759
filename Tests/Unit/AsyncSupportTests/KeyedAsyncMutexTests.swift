import AsyncSupport
import TestLimits
import Testing

@Suite("A keyed mutex admits one task at a time for each key", .endsWithin(minutes: 5))
struct KeyedAsyncMutexTests {
    private let executor = ManualExecutor()
    private let log = EventLog<String>()
    private let mutex = KeyedAsyncMutex<String>()

    @Test("The result and the error of the body reach the caller, and nothing is kept for an unused key")
    func theResultAndTheErrorComeThrough() async throws {
        let value = try await mutex.withLock(for: "a") {
            #expect(mutex.keyCount == 1)
            return 7
        }
        #expect(value == 7)
        await #expect(throws: Failure()) { try await mutex.withLock(for: "a") { throw Failure() } }
        #expect(mutex.keyCount == 0)
    }

    @Test("Tasks with one key run in the order of their requests; another key does not wait for them")
    func keysAreIndependent() {
        let gate = Promise<Void>()
        lock("a", "first") { try await gate.value() }
        lock("a", "second") {}
        lock("a", "third") {}
        lock("b", "other") {}
        executor.runUntilIdle()
        #expect(log.events == ["first", "other"])
        #expect(mutex.keyCount == 1)
        gate.fulfil(())
        executor.runUntilIdle()
        #expect(log.events == ["first", "other", "second", "third"])
        #expect(mutex.keyCount == 0)
    }

    @Test("A cancelled waiter leaves the key locked")
    func aCancelledWaiterLeavesTheKeyLocked() {
        let gate = Promise<Void>()
        lock("a", "holder") { try await gate.value() }
        let waiter = lock("a", "waiter") {}
        executor.runUntilIdle()
        waiter.cancel()
        executor.runUntilIdle()
        lock("a", "next") {}
        executor.runUntilIdle()
        #expect(log.events == ["holder"])
        gate.fulfil(())
        executor.runUntilIdle()
        #expect(log.events == ["holder", "next"])
        #expect(mutex.keyCount == 0)
    }

    @Test("In ten thousand schedules each key has one holder at a time, in order")
    func schedulesKeepExclusionAndOrder() async {
        await forEachSchedule { schedule in
            let mutex = KeyedAsyncMutex<Int>()
            let models = (0..<schedule.number(in: 1...3)).map { _ in SemaphoreModel(1, schedule) }
            let tasks = (0..<schedule.number(in: 2...7)).map { task in
                schedule.start { await Self.lock(mutex, as: task, models, schedule) }
            }
            schedule.run {
                guard schedule.chance(8) else { return }
                let task = schedule.number(in: 0...tasks.count - 1)
                for model in models { model.willCancel(task) }
                tasks[task].cancel()
            }
            schedule.expectAllEnded()
            schedule.expect(mutex.keyCount == 0, "\(mutex.keyCount) unused keys are kept")
            schedule.expect(models.allSatisfy { $0.available == 1 }, "a key stays locked")
        }
    }

    @discardableResult
    private func lock(
        _ key: String,
        _ name: String,
        _ body: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, any Error> {
        executor.start {
            try await mutex.withLock(for: key) {
                log.append(name)
                try await body()
            }
        }
    }

    private static func lock(
        _ mutex: KeyedAsyncMutex<Int>,
        as task: Int,
        _ models: [SemaphoreModel],
        _ schedule: Schedule
    ) async {
        for _ in 1...2 {
            await schedule.pause()
            let key = schedule.number(in: 0...models.count - 1)
            models[key].willAcquire(task)
            do {
                try await mutex.withLock(for: key) {
                    models[key].didAcquire(task)
                    defer { models[key].willRelease() }
                    await schedule.pause()
                }
            } catch {
                models[key].didFail(task)
            }
        }
    }
}
