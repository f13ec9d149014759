private import Epoll
import Glibc
private import Synchronization

/// The threads that run all tasks of a program: a preference of its first task, which all of its descendants inherit
/// (SE-0417), and the actors that they enter.
///
/// They are created when all that exist are busy, up to ``maximumThreads``. They ignore the priorities of tasks: each runs its
/// jobs in the order in which they came.
final class ThreadPool: TaskExecutor {
    /// So many that some may be busy or blocked for a while, and others go on.
    static let maximumThreads = 4
    /// What tools show of those that are not the main thread.
    static let threadName = "tasks"

    private let queue: JobQueue
    private let threads = Mutex(0)
    /// Set on the threads of this pool.
    private let mark: pthread_key_t

    /// Makes a pool without threads; nil when the system allows no more descriptors.
    init?() {
        var mark = pthread_key_t()
        guard let queue = JobQueue(), pthread_key_create(&mark, nil) == 0 else { return nil }
        (self.queue, self.mark) = (queue, mark)
    }

    /// Creates the first thread; to be called once, unless the caller runs jobs itself.
    ///
    /// - Returns: false when the system allows no more threads.
    func start() -> Bool { addThread() }

    /// Counts the calling thread, which calls ``runHere()`` next; to be called before any job comes.
    func join() { threads.withLock { $0 += 1 } }

    /// Runs jobs on the calling thread for ever.
    func runHere() -> Never { work() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard pthread_getspecific(mark) == nil else { return queue.addHere(job) }
        if !queue.add(job) { _ = addThread() }
    }

    /// Waits until an instant, without a thread.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until instant: ContinuousClock.Instant) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // That clock is CLOCK_BOOTTIME, too.
                if sleeper.begin(continuation) { queue.add(sleeper, after: instant - .now) }
            }
        } onCancel: {
            if sleeper.cancel() { queue.noteEnd() }
        }
    }

    /// Adds a thread unless there are enough; later jobs try again if the system allows none now.
    private func addThread() -> Bool {
        threads.withLock { count in
            guard count < Self.maximumThreads, (try? BlockingThread(named: Self.threadName) { [self] in work() }) != nil
            else { return false }
            count += 1
            return true
        }
    }

    private func work() -> Never {
        pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1))
        let executor = asUnownedTaskExecutor()
        while true {
            let (work, isWatched) = queue.next()
            if !isWatched { _ = addThread() }
            switch work {
            case .run(let job): job.runSynchronously(on: executor)
            case .wakeUp(let sleeper): sleeper.wakeUp()
            }
        }
    }
}
