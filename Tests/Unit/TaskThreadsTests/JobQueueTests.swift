import Epoll
@testable import TaskThreads
import Testing
import TestLimits

@Suite("A queue of jobs asks for few threads", .endsWithin(minutes: 10))
struct JobQueueTests {
    @Test("Jobs need a thread while all are busy")
    func threads() throws {
        let (queue, job) = (try #require(JobQueue()), try #require(Self.job))
        #expect(!queue.add(job))
        #expect(!queue.add(job))
        #expect(!queue.next().isWatched)
        #expect(!queue.next().isWatched)
    }

    @Test("A task that is due is woken up by the thread that waits")
    func due() async throws {
        let queue = try #require(JobQueue())
        let thread = try BlockingThread { for _ in 0..<2 { _ = queue.next() } }
        queue.add(Sleeper(), after: .milliseconds(1))
        queue.add(Sleeper(), after: .milliseconds(2))
        await thread.ended()
    }

    @Test("A job that a busy thread has added for itself is taken by another one that waits")
    func help() async throws {
        let (queue, job) = (try #require(JobQueue()), try #require(Self.job))
        let thread = try BlockingThread { _ = queue.next() }
        queue.addHere(job)
        await thread.ended()
    }

    @Test("Of many jobs that are added at once, each is taken by one of the threads that wait")
    func burst() async throws {
        let (queue, job) = (try #require(JobQueue()), try #require(Self.job))
        let (count, each) = (3, 1000)
        let threads = try (0..<count).map { _ in
            try BlockingThread { for _ in 0..<each { _ = queue.next() } }
        }
        for _ in 0..<(count * each) { queue.add(job) }
        // They end when each has taken its share.
        for thread in threads { await thread.ended() }
    }

    /// A job that is never run: its bytes do not matter here.
    private static var job: UnownedJob? { unsafe unsafeBitCast(UInt(16), to: UnownedJob.self) }
}
