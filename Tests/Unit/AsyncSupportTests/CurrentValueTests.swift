import AsyncSupport
import TestLimits
import Testing

@Suite("Readers of a current value get the newest", .endsWithin(minutes: 5))
struct CurrentValueTests {
    private let executor = ManualExecutor()
    private let log = EventLog<String>()

    @Test("A late reader gets the newest value at once and skips those between")
    func aLateReaderGetsTheNewest() async throws {
        let value = CurrentValue(0)
        for number in 1...5 { value.set(number) }
        let change = try await value.changed(since: value.initial)
        #expect(change.value == 5)
        #expect(change.version == 5)
        #expect(value.current.version == 5)
        #expect(value.value == 5)
        #expect(value.initial.value == 0)
    }

    @Test("A change wakes all waiting readers")
    func aChangeWakesAllReaders() {
        let value = CurrentValue("")
        for number in 1...3 { wait(for: value, "reader \(number)") }
        executor.runUntilIdle()
        value.set("new")
        executor.runUntilIdle()
        #expect(log.events == ["reader 1: new", "reader 2: new", "reader 3: new"])
    }

    @Test("A change between two waits is not lost")
    func aChangeBetweenTwoWaitsIsNotLost() async throws {
        let value = CurrentValue(0)
        value.set(1)
        let first = try await value.changed(since: value.initial)
        value.set(2)
        #expect(try await value.changed(since: first).value == 2)
    }

    @Test("A woken reader gets the newest value, even if it is newer than the one that woke it")
    func aWokenReaderGetsTheNewest() {
        let value = CurrentValue("")
        wait(for: value, "reader")
        executor.runUntilIdle()
        value.set("first")
        value.set("second")
        executor.runUntilIdle()
        #expect(log.events == ["reader: second"])
    }

    @Test("Setting an equal value is a change, and updating to it is not")
    func updatingComparesValues() {
        let value = CurrentValue(1)
        #expect(!value.update(1))
        #expect(value.current.version == 0)
        #expect(value.update(2))
        #expect(value.current.version == 1)
        value.set(2)
        #expect(value.current.version == 2)
        value.modify { $0 += 3 }
        #expect(value.value == 5)
        #expect(value.current.version == 3)
    }

    @Test("A value can be set on a condition, and set once")
    func aValueIsSetOnACondition() {
        let value = CurrentValue<String?>(nil)
        #expect(!value.set("no", if: { $0 != nil }))
        #expect(value.setOnce("first"))
        #expect(!value.setOnce("second"))
        #expect(value.value == "first")
        #expect(value.current.version == 1)
    }

    @Test("A wait can be cancelled before it begins and while it lasts, but not after a change has woken it")
    func aWaitCanBeCancelled() {
        let value = CurrentValue("")
        wait(for: value, "before").cancel()
        let waiting = wait(for: value, "while")
        let woken = wait(for: value, "after")
        executor.runUntilIdle()
        waiting.cancel()
        executor.runUntilIdle()
        value.set("new")
        woken.cancel()
        executor.runUntilIdle()
        #expect(log.events == ["before: cancelled", "while: cancelled", "after: new"])
    }

    @Test("A cancelled wait does not affect a later one")
    func aCancelledWaitAffectsNoLaterOne() {
        let value = CurrentValue("")
        let cancelled = wait(for: value, "first")
        executor.runUntilIdle()
        cancelled.cancel()
        executor.runUntilIdle()
        wait(for: value, "second")
        executor.runUntilIdle()
        value.set("new")
        executor.runUntilIdle()
        #expect(log.events == ["first: cancelled", "second: new"])
    }

    @Test("A finished value does not change: waits end, but the last value can still be read")
    func finishingEndsWaits() async throws {
        let value = CurrentValue("")
        wait(for: value, "reader")
        executor.runUntilIdle()
        value.finish()
        executor.runUntilIdle()
        #expect(log.events == ["reader: cancelled"])
        value.set("late")
        value.modify { $0 = "late" }
        #expect(!value.update("late"))
        #expect(!value.set("late", if: { _ in true }))
        #expect(value.current.version == 0)

        let other = CurrentValue(0)
        other.set(1)
        other.finish()
        #expect(try await other.changed(since: other.initial).value == 1)
        await #expect(throws: CancellationError.self) { try await other.changed(since: other.current) }
    }

    @Test("In ten thousand schedules every reader sees the newest value, in order")
    func schedulesLoseNoChange() async {
        await forEachSchedule { schedule in
            let value = CurrentValue(0)
            let scene = CurrentValueScene(value, schedule)
            let readers = (0..<schedule.number(in: 1...4)).map(scene.startReader)
            for _ in 0..<schedule.number(in: 1...3) { scene.startWriter() }
            schedule.run {
                guard schedule.chance(5) else { return }
                scene.cancel(schedule.number(in: 0...readers.count - 1), of: readers)
            }
            scene.expectReadersSawNewest()
            if schedule.chance(50) {
                value.finish()
            } else {
                for reader in readers.indices { scene.cancel(reader, of: readers) }
            }
            schedule.run()
            schedule.expectAllEnded()
        }
    }

    @discardableResult
    private func wait(for value: CurrentValue<String>, _ name: String) -> Task<Void, any Error> {
        executor.start {
            do {
                let change = try await value.changed(since: value.initial)
                log.append("\(name): \(change.value)")
            } catch {
                log.append("\(name): cancelled")
            }
        }
    }
}
