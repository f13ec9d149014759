private import Epoll
import Glibc
private import Synchronization

/// A thread that waits for the times of jobs, and wakes up for nothing else.
final class TimerThread: Sendable {
    private let pending = Mutex([TimedJobs]())

    /// Creates the timers and the thread; to be called once, before the first job.
    ///
    /// - Parameter enqueue: is called on the thread with each job whose time has come.
    /// - Returns: false when the system allows no more threads or descriptors.
    func start(_ enqueue: @escaping @Sendable (UnownedJob) -> Void) -> Bool {
        let lists = [CLOCK_BOOTTIME, CLOCK_MONOTONIC].compactMap(TimedJobs.init)
        guard lists.count == 2 else { return false }
        pending.withLock { $0 = lists }
        let timers = lists.map(\.timer)
        return (try? BlockingThread { [self] in work(timers, enqueue) }) != nil
    }

    /// Waits until `delay` has passed on `clock`, and then passes the job on.
    ///
    /// - Precondition: `clock` is `CLOCK_BOOTTIME`, or `CLOCK_MONOTONIC`, which stops while the machine is suspended.
    func add(_ job: UnownedJob, after delay: Duration, on clock: clockid_t) {
        pending.withLock { lists in
            guard let index = lists.firstIndex(where: { $0.clock == clock }) else {
                preconditionFailure("the thread was started, with a timer for each clock")
            }
            lists[index].add(job, after: delay)
        }
    }

    private func work(_ timers: [CInt], _ enqueue: (UnownedJob) -> Void) {
        var waits = timers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            poll(&waits, nfds_t(waits.count), -1)
            let due = pending.withLock { lists in lists.indices.flatMap { lists[$0].removeDue() } }
            for job in due { enqueue(job) }
        }
    }
}
