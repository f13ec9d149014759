import Epoll
@testable import TaskThreads
import TestLimits
import Testing

@Suite("A queue of jobs asks for few threads", .endsWithin(minutes: 10))
struct JobQueueTests {
    @Test("Jobs need a thread while all are busy, and none when the last one is taken")
    func threads() throws {
        let (queue, job) = (JobQueue(), try #require(Self.job))
        #expect(!queue.add(job))
        #expect(!queue.add(job))
        // One is left.
        #expect(!queue.next().isSufficient)
        #expect(queue.next().isSufficient)
    }

    @Test("Of many jobs that are added at once, each is taken by one of the threads that wait")
    func burst() async throws {
        let (queue, job) = (JobQueue(), try #require(Self.job))
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
