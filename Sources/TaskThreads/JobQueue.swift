private import DequeModule
private import Glibc

/// Jobs in the order in which they came, and the threads that wait for one.
final class JobQueue: @unchecked Sendable {
    // All of it is used only between lock() and unlock().
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let hasJobs = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: Deque<UnownedJob> = []
    private var waiting = 0

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(hasJobs, nil)
    }

    deinit {
        pthread_cond_destroy(hasJobs)
        pthread_mutex_destroy(mutex)
        hasJobs.deallocate()
        mutex.deallocate()
    }

    /// Adds a job.
    ///
    /// - Returns: whether a thread waits for each job that is there; if not, another thread would be of use.
    @discardableResult
    func add(_ job: UnownedJob) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        jobs.append(job)
        guard waiting > 0 else { return false }
        pthread_cond_signal(hasJobs)
        return jobs.count <= waiting
    }

    /// Removes the first job; blocks the thread while there is none.
    func next() -> UnownedJob {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        waiting += 1
        defer { waiting -= 1 }
        while true {
            if let job = jobs.popFirst() { return job }
            pthread_cond_wait(hasJobs, mutex)
        }
    }
}
