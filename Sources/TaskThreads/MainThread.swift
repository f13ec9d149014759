private import Glibc
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// The main thread, which runs the jobs of the main actor; to be made on it.
final class MainThread: MainExecutor {
    /// That of this process.
    static let shared = MainThread()

    private let queue = JobQueue()
    private let thread = pthread_self()

    let isMainExecutor = true

    func enqueue(_ job: consuming ExecutorJob) {
        queue.add(UnownedJob(job))
    }

    /// Runs jobs for ever.
    func run() throws {
        runForever()
    }

    /// Runs jobs for ever.
    func runForever() -> Never {
        while true { queue.next().runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// The program ends by exit(3) only.
    func stop() {}

    /// Traps on any other thread.
    func checkIsolated() {
        precondition(pthread_equal(thread, pthread_self()) != 0, "this is for the main thread")
    }
}
