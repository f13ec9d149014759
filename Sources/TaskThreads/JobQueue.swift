private import DequeModule
private import Glibc

/// Jobs in the order in which they came, and the threads that wait for one.
///
/// The threads wait at a semaphore: a condition variable of glibc 2.25 to 2.40 can lose a signal when several threads wait
/// for it (glibc bug 25847).
final class JobQueue: @unchecked Sendable {
    // What follows the semaphore is used only between locking and unlocking the mutex.
    private let unclaimed = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var jobs: Deque<UnownedJob> = []
    private var waiting = 0

    init() {
        sem_init(unclaimed, 0, 0)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        sem_destroy(unclaimed)
        mutex.deallocate()
        unclaimed.deallocate()
    }

    /// Adds a job.
    ///
    /// - Returns: whether a thread waits for each job that is there; if not, another thread would be of use.
    @discardableResult
    func add(_ job: UnownedJob) -> Bool {
        let isAwaited = locked {
            jobs.append(job)
            return jobs.count <= waiting
        }
        sem_post(unclaimed)
        return isAwaited
    }

    /// Removes the first job; blocks the thread while there is none.
    func next() -> UnownedJob {
        locked { waiting += 1 }
        while sem_wait(unclaimed) != 0 {}
        return locked {
            waiting -= 1
            return jobs.removeFirst()
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
