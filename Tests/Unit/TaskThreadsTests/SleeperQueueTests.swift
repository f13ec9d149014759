import CLinux
import Glibc
@testable import TaskThreads
import Testing
import TestLimits

@Suite("The timer of tasks that wait is set for the first of them", .endsWithin(minutes: 10))
struct SleeperQueueTests {
    private var queue: SleeperQueue

    init() throws { queue = try #require(SleeperQueue()) }

    @Test("Without tasks that wait the timer is not set")
    mutating func unset() {
        defer { close(queue.timer) }
        #expect(queue.removeDue().isEmpty)
        #expect(secondsLeft == 0)
    }

    @Test("One that is due earlier sets it anew, one that is due later does not; one that is due is removed")
    mutating func order() {
        defer { close(queue.timer) }
        queue.add(Sleeper(), after: .seconds(1000))
        #expect((900...1000).contains(secondsLeft))
        queue.add(Sleeper(), after: .seconds(500))
        queue.add(Sleeper(), after: .seconds(2000))
        #expect((400...500).contains(secondsLeft))
        queue.add(Sleeper(), after: .seconds(-1))
        #expect(queue.removeDue().count == 1)
        #expect((400...500).contains(secondsLeft))
    }

    @Test("Nothing wakes up for a task that was cancelled, and many of them take no room")
    mutating func cancelled() async throws {
        defer { close(queue.timer) }
        let (first, last) = (Sleeper(), Sleeper())
        queue.add(first, after: .seconds(10))
        queue.add(last, after: .seconds(1000))
        try await end(first)
        #expect((900...1000).contains(secondsLeft))
        for _ in 0..<1000 {
            let sleeper = Sleeper()
            queue.add(sleeper, after: .seconds(2000))
            try await end(sleeper)
        }
        #expect(queue.size <= 3)
        // Between one that is due and one that is later.
        let (due, middle) = (Sleeper(), Sleeper())
        queue.add(due, after: .seconds(-1))
        queue.add(middle, after: .seconds(20))
        try await end(middle)
        #expect(queue.removeDue().count == 1)
        #expect((900...1000).contains(secondsLeft))
        try await end(last)
        #expect(secondsLeft == 0)
    }

    /// Lets a task begin to wait, and cancels it.
    private mutating func end(_ sleeper: Sleeper) async throws {
        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { continuation in
                #expect(sleeper.begin(continuation))
                #expect(sleeper.cancel())
            }
        }
        queue.noteEnd()
    }

    /// The seconds until the timer expires, rounded up; 0 if it is not set.
    private var secondsLeft: Int {
        var left = itimerspec()
        timerfd_gettime(queue.timer, &left)
        return left.it_value.tv_sec + (left.it_value.tv_nsec > 0 ? 1 : 0)
    }
}
