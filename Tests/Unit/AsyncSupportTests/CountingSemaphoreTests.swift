import AsyncSupport
import TestLimits
import Testing

@Suite("A counting semaphore admits a fixed number of holders", .endsWithin(minutes: 5))
struct CountingSemaphoreTests {
    private let executor = ManualExecutor()
    private let log = EventLog<String>()

    @Test("Permits can be acquired without waiting until none is left, and again when one was released")
    func permitsAreCounted() {
        let semaphore = CountingSemaphore(2)
        #expect(semaphore.tryAcquire())
        #expect(semaphore.tryAcquire())
        #expect(!semaphore.tryAcquire())
        semaphore.release()
        #expect(semaphore.availablePermits == 1)
        #expect(semaphore.tryAcquire())
    }

    @Test("A semaphore without permits admits no task")
    func aSemaphoreWithoutPermitsAdmitsNoTask() {
        let semaphore = CountingSemaphore(0)
        #expect(!semaphore.tryAcquire())
        acquire(semaphore, "a").cancel()
        executor.runUntilIdle()
        #expect(log.events == ["a refused"])
    }

    @Test("Waiters get permits in the order of their requests")
    func waitersGetPermitsInOrder() {
        let semaphore = CountingSemaphore(1)
        #expect(semaphore.tryAcquire())
        for name in ["a", "b", "c"] { acquire(semaphore, name) }
        executor.runUntilIdle()
        #expect(log.events.isEmpty)
        for _ in 1...3 {
            semaphore.release()
            executor.runUntilIdle()
        }
        #expect(log.events == ["a admitted", "b admitted", "c admitted"])
        #expect(semaphore.availablePermits == 0)
    }

    @Test("A released permit belongs to the first waiter even before it runs")
    func aWaiterIsNotOvertaken() {
        let semaphore = CountingSemaphore(1)
        #expect(semaphore.tryAcquire())
        acquire(semaphore, "a")
        executor.runUntilIdle()
        semaphore.release()
        #expect(!semaphore.tryAcquire())
        executor.runUntilIdle()
        #expect(log.events == ["a admitted"])
    }

    @Test("A cancelled task gets no permit, even if one is free")
    func aCancelledTaskGetsNoPermit() {
        let semaphore = CountingSemaphore(1)
        acquire(semaphore, "a").cancel()
        executor.runUntilIdle()
        #expect(log.events == ["a refused"])
        #expect(semaphore.availablePermits == 1)
    }

    @Test("A waiter that is cancelled leaves the queue, and the next one moves up")
    func aCancelledWaiterLeavesTheQueue() {
        let semaphore = CountingSemaphore(1)
        #expect(semaphore.tryAcquire())
        let first = acquire(semaphore, "a")
        acquire(semaphore, "b")
        executor.runUntilIdle()
        first.cancel()
        executor.runUntilIdle()
        semaphore.release()
        executor.runUntilIdle()
        #expect(log.events == ["a refused", "b admitted"])
    }

    @Test("A waiter that is cancelled after a permit was granted keeps the permit")
    func aPermitThatWasGivenIsKept() {
        let semaphore = CountingSemaphore(1)
        #expect(semaphore.tryAcquire())
        let waiter = acquire(semaphore, "a")
        executor.runUntilIdle()
        semaphore.release()
        waiter.cancel()
        executor.runUntilIdle()
        #expect(log.events == ["a admitted"])
        semaphore.release()
        #expect(semaphore.availablePermits == 1)
    }

    @Test("A permit is released when the body returns, throws or is cancelled")
    func thePermitIsReleasedHoweverTheBodyEnds() {
        let semaphore = CountingSemaphore(1)
        executor.start { try await semaphore.withPermit { log.append("returned") } }
        executor.start { try await semaphore.withPermit { throw Failure() } }
        let holder = executor.start {
            try await semaphore.withPermit {
                log.append("waiting")
                try await waitForCancellation()
            }
        }
        acquire(semaphore, "last")
        executor.runUntilIdle()
        #expect(log.events == ["returned", "waiting"])
        holder.cancel()
        executor.runUntilIdle()
        #expect(log.events == ["returned", "waiting", "last admitted"])
        semaphore.release()
        #expect(semaphore.availablePermits == 1)
    }

    @Test("Closing ends every wait, present and future, and leaves the permits that are held")
    func closingEndsEveryWait() {
        let semaphore = CountingSemaphore(1)
        #expect(semaphore.tryAcquire())
        acquire(semaphore, "a")
        acquire(semaphore, "b")
        executor.runUntilIdle()
        semaphore.close()
        acquire(semaphore, "late")
        executor.runUntilIdle()
        #expect(log.events == ["a refused", "b refused", "late refused"])
        semaphore.release()
        #expect(!semaphore.tryAcquire())
    }

    @Test("In ten thousand schedules permits are granted in order and none is lost")
    func schedulesKeepOrderAndPermits() async {
        await forEachSchedule { schedule in
            let permits = schedule.number(in: 1...3)
            let semaphore = CountingSemaphore(permits)
            let model = SemaphoreModel(permits, schedule)
            let tasks = (0..<schedule.number(in: 2...7)).map { task in
                schedule.start { await Self.use(semaphore, as: task, model, schedule) }
            }
            let closes = schedule.chance(5)
            schedule.run {
                if schedule.chance(10) {
                    let task = schedule.number(in: 0...tasks.count - 1)
                    model.willCancel(task)
                    tasks[task].cancel()
                }
                guard closes, schedule.chance(5) else { return }
                model.willClose()
                semaphore.close()
            }
            schedule.expectAllEnded()
            let left = semaphore.availablePermits
            schedule.expect(left == permits && left == model.available, "\(left) of \(permits) permits are left")
        }
    }

    @discardableResult
    private func acquire(_ semaphore: CountingSemaphore, _ name: String) -> Task<Void, any Error> {
        executor.start {
            do {
                try await semaphore.acquire()
                log.append("\(name) admitted")
            } catch {
                log.append("\(name) refused")
            }
        }
    }

    private static func use(
        _ semaphore: CountingSemaphore,
        as task: Int,
        _ model: SemaphoreModel,
        _ schedule: Schedule
    ) async {
        await schedule.pause()
        if schedule.chance(20) {
            let hasPermit = semaphore.tryAcquire()
            model.didTry(task, hasPermit)
            guard hasPermit else { return }
        } else {
            model.willAcquire(task)
            do {
                try await semaphore.acquire()
            } catch {
                return model.didFail(task)
            }
            model.didAcquire(task)
        }
        await schedule.pause()
        model.willRelease()
        semaphore.release()
    }
}
