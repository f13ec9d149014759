import AsyncSupport
import TestLimits
import Testing

@Suite("A back-off lengthens the delays between attempts", .endsWithin(minutes: 5))
struct BackoffTests {
    private let executor = ManualExecutor()
    private let clock = ManualClock()
    private let log = EventLog<String>()

    @Test(
        "Delays grow by the factor up to the longest",
        arguments: [
            (1, 2, 60, [1, 2, 4, 8, 16, 32, 60, 60]),
            (100, 2, 2000, [100, 200, 400, 800, 1600, 2000, 2000]),
            (5, 3, 50, [5, 15, 45, 50]),
            (3, 1, 9, [3, 3, 3]),
            (7, 2, 7, [7, 7]),
            (4, 2, 8, [4, 8, 8]),
        ]
    )
    func delaysGrow(first: Int, factor: Int, longest: Int, expected: [Int]) {
        var backoff = Backoff(first: .seconds(first), factor: factor, longest: .seconds(longest))
        var delays: [Duration] = []
        for _ in expected {
            let next = backoff.nextDelay
            delays.append(backoff.advance())
            #expect(delays.last == next)
        }
        #expect(delays == expected.map { .seconds($0) })
        #expect(backoff.longest == .seconds(longest))
        backoff.reset()
        #expect(backoff.nextDelay == .seconds(first))
    }

    @Test("The longest delay may be the longest duration")
    func theLongestDelayCanBeHuge() {
        let huge = Duration.seconds(Int64.max)
        var backoff = Backoff(first: huge / 2, longest: huge)
        _ = backoff.advance()
        #expect(backoff.nextDelay > huge / 2)
        _ = backoff.advance()
        #expect(backoff.advance() == huge)
    }

    @Test("Each wait takes the next delay")
    func waitingTakesTheDelay() {
        executor.start {
            var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
            for attempt in 1...3 {
                try await backoff.wait(clock: clock)
                log.append("attempt \(attempt)")
            }
        }
        for (seconds, attempts) in [(0, 0), (1, 1), (1, 1), (1, 2), (3, 2), (1, 3)] {
            executor.runUntilIdle()
            clock.advance(by: .seconds(seconds))
            executor.runUntilIdle()
            #expect(log.events.count == attempts)
        }
    }

    @Test("A wait ends early when the value changes")
    func aWaitEndsWithAChange() {
        let value = CurrentValue("old")
        executor.start {
            var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
            var seen = value.current
            for _ in 1...3 {
                seen = try await backoff.wait(orUntil: value, changesSince: seen, clock: clock)
                log.append("\(seen.value), then \(backoff.nextDelay)")
            }
        }
        executor.runUntilIdle()
        value.set("new")
        executor.runUntilIdle()
        clock.advance(by: .seconds(2))
        executor.runUntilIdle()
        value.set("newest")
        executor.runUntilIdle()
        #expect(log.events == ["new, then 2.0 seconds", "new, then 4.0 seconds", "newest, then 8.0 seconds"])
    }

    @Test("A wait that ends with its delay returns the newest value")
    func aWaitReturnsTheNewestValue() {
        let value = CurrentValue("old")
        executor.start {
            var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
            log.append(try await backoff.wait(orUntil: value, changesSince: value.current, clock: clock).value)
        }
        executor.runUntilIdle()
        clock.advance(by: .seconds(1))
        value.set("new")
        executor.runUntilIdle()
        #expect(log.events == ["new"])
    }

    @Test("A wait can be cancelled before it begins and while it lasts", arguments: [true, false])
    func aWaitCanBeCancelled(_ isCancelledFirst: Bool) async {
        let value = CurrentValue(0)
        let waits = [
            executor.start {
                var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
                try await backoff.wait()
            },
            executor.start {
                var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
                _ = try await backoff.wait(orUntil: value, changesSince: value.current, clock: clock)
            },
        ]
        if !isCancelledFirst { executor.runUntilIdle() }
        for wait in waits { wait.cancel() }
        executor.runUntilIdle()
        for wait in waits { await #expect(throws: CancellationError.self) { try await wait.value } }
    }
}
