private import DequeModule
private import Glibc

/// Jobs in the order in which they came, and the threads that wait for one.
///
/// One thread is woken up at a time, which wakes up the next one if there is more to do when it begins. Many jobs end
/// before that, and a thread that has ended its own takes the next one without waiting.
///
/// The threads wait at a semaphore: a condition variable of glibc 2.25 to 2.40 can lose a signal when several threads wait
/// for it (glibc bug 25847).
///
/// Sendable unchecked: the compiler does not see that a mutex of pthreads protects the variables; a `Mutex` cannot
/// be unlocked in the middle, as ``wait()`` does.
final class JobQueue: @unchecked Sendable {
    /// Who will run the jobs that are there.
    private enum Supply {
        /// Threads that are awake, or will be.
        case sufficient
        /// A thread that waits, and has to be woken up.
        case waiting
        /// Nobody soon: all threads are busy.
        case insufficient
    }

    private let wakeUp = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    // What follows is used only between locking and unlocking the mutex.
    private var jobs: Deque<UnownedJob> = []
    /// The number of threads that wait, without the one that is being woken up.
    private var waiting = 0
    /// Whether a thread is being woken up, which looks for a job next.
    private var isWaking = false

    init() {
        sem_init(wakeUp, 0, 0)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        sem_destroy(wakeUp)
        mutex.deallocate()
        wakeUp.deallocate()
    }

    /// Adds a job.
    ///
    /// - Returns: whether there are threads enough for what is there; if not, another thread would be of use.
    @discardableResult
    func add(_ job: UnownedJob) -> Bool {
        let supply = locked {
            jobs.append(job)
            return takeWaiting()
        }
        return provide(supply)
    }

    /// Removes the first job; blocks the thread while there is none.
    ///
    /// - Returns: the job, and whether there are threads enough for the others.
    func next() -> (job: UnownedJob, isSufficient: Bool) {
        let (job, supply) = locked {
            while jobs.isEmpty { wait() }
            let job = jobs.removeFirst()
            return (job, jobs.isEmpty ? .sufficient : takeWaiting())
        }
        return (job, provide(supply))
    }

    /// Chooses a thread to be woken up, unless one is being woken up.
    ///
    /// To be called with the mutex locked.
    private func takeWaiting() -> Supply {
        guard !isWaking else { return .sufficient }
        guard waiting > 0 else { return .insufficient }
        waiting -= 1
        isWaking = true
        return .waiting
    }

    /// Wakes up a thread if one was chosen.
    ///
    /// To be called with the mutex unlocked, which the thread locks first.
    ///
    /// - Returns: whether there are threads enough.
    private func provide(_ supply: Supply) -> Bool {
        if supply == .waiting { sem_post(wakeUp) }
        return supply != .insufficient
    }

    /// Unlocks the mutex, waits until this thread is woken up, and locks it again.
    private func wait() {
        waiting += 1
        pthread_mutex_unlock(mutex)
        while sem_wait(wakeUp) != 0 {}
        pthread_mutex_lock(mutex)
        isWaking = false
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
