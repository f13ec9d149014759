import AsyncSupport
import HandoffCore
import Synchronization
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Releasing code that is not used", .endsWithin(minutes: 10))
struct CodeReleaseServiceTests {
    @Test("Code is released when nothing has changed for a while after the start, and after each change")
    func released() async throws {
        let plans = CurrentValue(Self.plan(.none))
        let (sleeps, sleepSink) = AsyncStream.makeStream(of: Promise<Void>.self)
        let (releases, releaseSink) = AsyncStream.makeStream(of: Void.self)
        let count = Mutex(0)
        let service = CodeReleaseService(
            plans: plans,
            release: {
                count.withLock { $0 += 1 }
                releaseSink.yield()
            },
            clock: SleepingClock(sleeps: sleepSink)
        )
        try await withBackgroundTasks([{ try await service.run() }]) {
            var (nextSleep, nextRelease) = (sleeps.makeAsyncIterator(), releases.makeAsyncIterator())
            let start = await nextSleep.next()
            plans.update(Self.plan(.continuous))
            let change = await nextSleep.next()
            // Its sleep was cancelled by the change.
            start?.fulfil(())
            change?.fulfil(())
            await nextRelease.next()
            plans.update(Self.plan(.windows(rest: .seconds(3))))
            let later = await nextSleep.next()
            later?.fulfil(())
            await nextRelease.next()
        }
        #expect(count.withLock(\.self) == 2, "the start and the change that followed it have one release together")
    }

    /// A clock whose sleeps end when the test ends them.
    private struct SleepingClock: Clock {
        let sleeps: AsyncStream<Promise<Void>>.Continuation

        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .nanoseconds(1) }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            let end = Promise<Void>()
            sleeps.yield(end)
            try await end.value()
        }
    }

    private static func plan(_ effort: ScanPolicy.Effort) -> Engine.ScanningPlan {
        Engine.ScanningPlan(effort: effort, radioGeneration: 0)
    }
}
