private import Epoll
import Glibc
private import Synchronization

/// The threads that run all jobs but those of the main actor.
///
/// They are created when there is more to do than those that exist can begin with, up to ``maximumThreads``. They ignore
/// the priorities of tasks: each runs its jobs in the order in which they came.
final class ThreadPool: TaskExecutor {
    /// That of this process.
    static let shared = ThreadPool()

    /// So many that some may be busy or blocked for a while, and others go on.
    static let maximumThreads = 4

    private let queue = JobQueue()
    private let threads = Mutex(0)
    private let timers = TimerThread()

    /// Creates the first thread and that of the timers; to be called once, before any job comes.
    ///
    /// - Returns: false when the system allows no more threads or descriptors.
    func start() -> Bool {
        timers.start { [self] in add($0) } && addThread()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        add(UnownedJob(job))
    }

    /// Adds a job, and a thread for it if all are busy.
    func add(_ job: UnownedJob) {
        guard !queue.add(job) else { return }
        _ = addThread()
    }

    /// Adds a job when `delay` has passed on a clock, `CLOCK_BOOTTIME` or `CLOCK_MONOTONIC`.
    func add(_ job: UnownedJob, after delay: Duration, on clock: clockid_t) {
        timers.add(job, after: delay, on: clock)
    }

    /// Adds a thread unless there are enough; later jobs try again if the system allows none now.
    private func addThread() -> Bool {
        threads.withLock { count in
            guard count < Self.maximumThreads, (try? BlockingThread { [self] in work() }) != nil else { return false }
            count += 1
            return true
        }
    }

    private func work() {
        while true {
            let (job, isSufficient) = queue.next()
            if !isSufficient { _ = addThread() }
            job.runSynchronously(on: .generic)
        }
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
