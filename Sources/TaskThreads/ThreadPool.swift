import Glibc
private import Synchronization

/// The threads that run all jobs but those of the main actor.
///
/// They are created when there is more to do than those that exist can begin with, up to ``maximumThreads``. They ignore
/// the priorities of tasks: each runs its jobs in the order in which they came.
final class ThreadPool: TaskExecutor {
    /// That of this process.
    static let shared = ThreadPool()

    /// One for each processor, but two at least, and four at most.
    ///
    /// A job that computes for long must not hold up all others; and four are enough for a program that mostly waits.
    static var maximumThreads: Int { min(max(2, sysconf(CInt(_SC_NPROCESSORS_ONLN))), 4) }

    private let queue = JobQueue()
    private let threads = Mutex(0)
    private let timers = TimerThread()

    func enqueue(_ job: consuming ExecutorJob) {
        add(UnownedJob(job))
    }

    /// Adds a job, and a thread for it if all are busy.
    func add(_ job: UnownedJob) {
        guard !queue.add(job) else { return }
        threads.withLock { count in
            // If the system allows none now, the next job asks again.
            guard count < Self.maximumThreads, NewThread.start({ [self] in work() }) else { return }
            count += 1
        }
    }

    /// Adds a job when `delay` has passed on a clock, `CLOCK_BOOTTIME` or `CLOCK_MONOTONIC`.
    func add(_ job: UnownedJob, after delay: Duration, on clock: clockid_t) {
        timers.add(job, after: delay, on: clock) { [self] in add($0) }
    }

    private func work() {
        while true { queue.next().runSynchronously(on: .generic) }
    }
}

extension UnownedSerialExecutor {
    /// That of jobs that are isolated to no actor: as libdispatch's threads run them.
    ///
    /// With the pool's own identity, a task would leave its thread for each actor that it enters.
    fileprivate static var generic: UnownedSerialExecutor {
        unsafe unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
    }
}
