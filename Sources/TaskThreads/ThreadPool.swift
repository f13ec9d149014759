private import Epoll
import Glibc
private import Synchronization

/// The threads that run all jobs but those of the main actor.
///
/// They are created when all that exist are busy, up to ``maximumThreads``. They ignore the priorities of tasks: each runs its
/// jobs in the order in which they came.
final class ThreadPool: TaskExecutor {
    /// That of this process; nil when the system has allowed no more descriptors.
    static let shared = ThreadPool()

    /// So many that some may be busy or blocked for a while, and others go on.
    static let maximumThreads = 4

    private let queue: JobQueue
    private let threads = Mutex(0)
    /// Set on the threads of this pool.
    private let mark: pthread_key_t

    /// Makes a pool without threads; nil when the system allows no more descriptors.
    init?() {
        var mark = pthread_key_t()
        let clocks = [CLOCK_BOOTTIME, CLOCK_MONOTONIC]
        guard let queue = JobQueue(clocks: clocks), pthread_key_create(&mark, nil) == 0 else { return nil }
        (self.queue, self.mark) = (queue, mark)
    }

    /// Creates the first thread; to be called once, before any job comes.
    ///
    /// - Returns: false when the system allows no more threads.
    func start() -> Bool { addThread() }

    func enqueue(_ job: consuming ExecutorJob) {
        add(UnownedJob(job))
    }

    /// Adds a job when `delay` has passed on `CLOCK_BOOTTIME`, or on `CLOCK_MONOTONIC`, which stops while the machine is
    /// suspended.
    func add(_ job: UnownedJob, after delay: Duration, on clock: clockid_t) {
        queue.add(job, after: delay, on: clock)
    }

    /// Adds a job, and a thread for it if all are busy with others.
    private func add(_ job: UnownedJob) {
        guard pthread_getspecific(mark) == nil else { return queue.addHere(job) }
        if !queue.add(job) { _ = addThread() }
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
        pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1))
        while true {
            let (job, isWatched) = queue.next()
            if !isWatched { _ = addThread() }
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
