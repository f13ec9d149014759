private import Glibc
private import Synchronization
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// The threads that run all jobs but those of the main actor.
///
/// They are created when there is more to do than those that exist can begin with, up to ``maximumThreads``. They ignore
/// the priorities of tasks: each runs its jobs in the order in which they came.
final class ThreadPool: TaskExecutor {
    /// That of this process.
    static let shared = ThreadPool()

    /// One for each processor, and not more than four, which are enough for a program that mostly waits. Two at least,
    /// so that a job that computes for long does not hold up all others.
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

    private func work() {
        while true { queue.next().runSynchronously(on: .generic) }
    }
}

extension ThreadPool: SchedulingExecutor {
    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        let clock = clock is SuspendingClock ? CLOCK_MONOTONIC : CLOCK_BOOTTIME
        timers.add(UnownedJob(job), after: delay as? Duration ?? .zero, on: clock) { [self] in add($0) }
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
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
