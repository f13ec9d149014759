import Synchronization

/// Runs tasks on the thread that drives it, one job at a time, in the order that the driver chooses.
///
/// A job is what a task does between two suspensions. So a test decides what happens before, between and after the
/// steps of several tasks. When no job is ready, every task has ended or waits for something.
final class ManualExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    /// How many jobs are ready.
    var readyCount: Int { jobs.withLock(\.count) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Starts a task, whose first job is ready when this returns.
    @discardableResult
    func start<Success: Sendable>(
        _ body: @escaping @Sendable () async throws -> Success
    ) -> Task<Success, any Error> {
        Task(executorPreference: self, operation: body)
    }

    /// Runs one of the jobs that are ready.
    func runJob(at index: Int) {
        let job = jobs.withLock { $0.remove(at: index) }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Runs jobs in the order in which they became ready, until none is left.
    func runUntilIdle() {
        while readyCount > 0 { runJob(at: 0) }
    }
}
