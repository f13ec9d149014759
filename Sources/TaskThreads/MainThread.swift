private import Glibc

/// The main thread, which runs the jobs of the main actor; to be made on it.
final class MainThread: SerialExecutor {
    /// That of this process; nil when the system has allowed no more descriptors.
    static let shared = MainThread()

    private let queue: JobQueue
    private let thread = pthread_self()

    /// Makes the executor without jobs; nil when the system allows no more descriptors.
    init?() {
        guard let queue = JobQueue() else { return nil }
        self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
        queue.add(UnownedJob(job))
    }

    /// Runs jobs for ever.
    func runForever() -> Never {
        while true { queue.next().job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Traps on any other thread.
    func checkIsolated() {
        precondition(pthread_equal(thread, pthread_self()) != 0, "this is for the main thread")
    }
}
