import AsyncSupport
import TestLimits
import Testing

@Suite("A promise is fulfilled once", .endsWithin(minutes: 5))
struct PromiseTests {
    private let executor = ManualExecutor()
    private let log = EventLog<String>()

    @Test("All tasks get the first value, whether they wait before or after it is set")
    func theFirstValueCounts() {
        let promise = Promise<Int>()
        for name in ["a", "b"] { wait(for: promise, name) }
        executor.runUntilIdle()
        #expect(promise.valueIfSet == nil)
        #expect(promise.fulfil(1))
        #expect(!promise.fulfil(2))
        executor.runUntilIdle()
        wait(for: promise, "late")
        executor.runUntilIdle()
        #expect(log.events == ["a: 1", "b: 1", "late: 1"])
        #expect(promise.valueIfSet == 1)
    }

    @Test("A promise of an optional can be fulfilled with nil")
    func anOptionalCanBeNil() async throws {
        let promise = Promise<Int?>()
        #expect(promise.valueIfSet == .none)
        #expect(promise.fulfil(nil))
        #expect(!promise.fulfil(1))
        #expect(try await promise.value() == nil)
        let value = await promise.valueIgnoringCancellation()
        #expect(value == nil)
    }

    @Test("Cancelling one wait does not end the others")
    func aWaitCanBeCancelled() {
        let promise = Promise<Int>()
        wait(for: promise, "before").cancel()
        let waiting = wait(for: promise, "while")
        wait(for: promise, "other")
        executor.runUntilIdle()
        waiting.cancel()
        executor.runUntilIdle()
        promise.fulfil(1)
        executor.runUntilIdle()
        #expect(log.events == ["before: cancelled", "while: cancelled", "other: 1"])
    }

    @Test("Cancelling a wait after the promise was fulfilled has no effect, but a wait that begins cancelled throws")
    func aValueThatWasGivenIsKept() {
        let promise = Promise<Int>()
        let woken = wait(for: promise, "woken")
        executor.runUntilIdle()
        promise.fulfil(1)
        woken.cancel()
        wait(for: promise, "late").cancel()
        executor.runUntilIdle()
        #expect(log.events == ["woken: 1", "late: cancelled"])
    }

    @Test("A wait that ignores cancellation lasts until there is a value")
    func aWaitCanIgnoreCancellation() {
        let promise = Promise<Int>()
        let names = ["cancelled before", "cancelled while"]
        let waits = names.map { name in
            executor.start { log.append("\(name): \(await promise.valueIgnoringCancellation())") }
        }
        waits[0].cancel()
        executor.runUntilIdle()
        waits[1].cancel()
        executor.runUntilIdle()
        #expect(log.events.isEmpty)
        promise.fulfil(1)
        executor.runUntilIdle()
        #expect(log.events == ["cancelled before: 1", "cancelled while: 1"])
    }

    @Test("In ten thousand schedules every wait gets the first value or is cancelled")
    func schedulesResumeEveryWaitOnce() async {
        await forEachSchedule { schedule in
            let scene = PromiseScene(schedule)
            let waiters = (0..<schedule.number(in: 1...5)).map(scene.startWaiter)
            for number in 0..<schedule.number(in: 0...3) { scene.startFulfilling(with: number) }
            schedule.run {
                guard schedule.chance(10) else { return }
                scene.cancel(schedule.number(in: 0...waiters.count - 1), of: waiters)
            }
            scene.fulfil(with: 10)
            schedule.run()
            schedule.expectAllEnded()
        }
    }

    @discardableResult
    private func wait(for promise: Promise<Int>, _ name: String) -> Task<Void, any Error> {
        executor.start {
            do {
                log.append("\(name): \(try await promise.value())")
            } catch {
                log.append("\(name): cancelled")
            }
        }
    }
}
