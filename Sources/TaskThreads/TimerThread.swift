import CLinux
import Glibc
private import Synchronization

/// A thread that waits for the times of jobs, and wakes up for nothing else.
///
/// It is created with the first job.
final class TimerThread: Sendable {
    private let pending = Mutex<[TimedJobs]?>(nil)

    /// Waits until `delay` has passed on `clock`, and then passes the job on.
    ///
    /// - Parameters:
    ///   - clock: `CLOCK_BOOTTIME`, or `CLOCK_MONOTONIC`, which stops while the machine is suspended.
    ///   - enqueue: is called on the thread; at once if the system allows no timer or no thread.
    func add(
        _ job: UnownedJob,
        after delay: Duration,
        on clock: clockid_t,
        enqueue: @escaping @Sendable (UnownedJob) -> Void
    ) {
        let isAdded = pending.withLock { lists in
            if lists == nil { lists = start(enqueue) }
            guard let index = lists?.firstIndex(where: { $0.clock == clock }) else { return false }
            lists?[index].add(job, after: delay)
            return true
        }
        if !isAdded { enqueue(job) }
    }

    private func start(_ enqueue: @escaping @Sendable (UnownedJob) -> Void) -> [TimedJobs]? {
        let lists = [CLOCK_BOOTTIME, CLOCK_MONOTONIC].compactMap(TimedJobs.init)
        let timers = lists.map(\.timer)
        return NewThread.start { [self] in work(timers, enqueue) } ? lists : nil
    }

    private func work(_ timers: [CInt], _ enqueue: (UnownedJob) -> Void) {
        var waits = timers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            poll(&waits, nfds_t(waits.count), -1)
            let due = pending.withLock { lists in
                (lists ?? []).indices.flatMap { lists?[$0].removeDue() ?? [] }
            }
            for job in due { enqueue(job) }
        }
    }
}
