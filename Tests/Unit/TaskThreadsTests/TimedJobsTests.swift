import CLinux
import Glibc
@testable import TaskThreads
import TestLimits
import Testing

@Suite("The timer of jobs is set for the first of them", .endsWithin(minutes: 10))
struct TimedJobsTests {
    @Test("Without jobs the timer is not set", arguments: [CLOCK_BOOTTIME, CLOCK_MONOTONIC])
    func unset(clock: clockid_t) throws {
        var jobs = try #require(TimedJobs(clock))
        defer { close(jobs.timer) }
        #expect(jobs.removeDue().isEmpty)
        #expect(Self.secondsLeft(of: jobs.timer) == 0)
    }

    @Test("A job that is due earlier sets it anew, one that is due later does not; one that is due is removed")
    func order() throws {
        var jobs = try #require(TimedJobs(CLOCK_BOOTTIME))
        defer { close(jobs.timer) }
        let job = try #require(Self.job)
        jobs.add(job, after: .seconds(1000))
        #expect((900...1000).contains(Self.secondsLeft(of: jobs.timer)))
        jobs.add(job, after: .seconds(500))
        jobs.add(job, after: .seconds(2000))
        #expect((400...500).contains(Self.secondsLeft(of: jobs.timer)))
        jobs.add(job, after: .seconds(-1))
        #expect(jobs.removeDue().count == 1)
        #expect((400...500).contains(Self.secondsLeft(of: jobs.timer)))
    }

    /// A job that is never run: its bytes do not matter here.
    private static var job: UnownedJob? { unsafe unsafeBitCast(UInt(16), to: UnownedJob.self) }

    /// The seconds until a timer expires, rounded up; 0 if it is not set.
    private static func secondsLeft(of timer: CInt) -> Int {
        var left = itimerspec()
        timerfd_gettime(timer, &left)
        return left.it_value.tv_sec + (left.it_value.tv_nsec > 0 ? 1 : 0)
    }
}
