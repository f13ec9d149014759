private import DequeModule
import Glibc

/// Jobs in the order in which they came or are due, and the threads that wait for one.
///
/// A job from elsewhere wakes up one thread. What the threads' own jobs add, and what came meanwhile, is left to the
/// threads that are awake: most jobs end within microseconds. Only jobs that still wait after ``patience`` wake up another
/// thread, for those that are awake compute or block.
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

    /// How long jobs wait for threads that are awake, before another one is woken up.
    static let patience = Duration.milliseconds(4)

    private let wakeUps: WakeUps
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    // What follows is used only between locking and unlocking the mutex.
    private var jobs: Deque<UnownedJob> = []
    /// The jobs that are not due yet, by the clock.
    private var timed: [TimedJobs]
    /// Wakes up a thread when jobs have waited for too long; nil in a queue of one thread, which nobody could help.
    private var countdown: CountdownTimer?
    /// The number of threads that wait, without the one that is being woken up; -1 if something else has woken that one
    /// first, and it does not know yet.
    private var waiting = 0
    /// Whether a thread is being woken up, which looks for a job next.
    private var isWaking = false

    /// Makes an empty queue; nil when the system allows no more descriptors.
    ///
    /// - Parameter clocks: the clocks of the jobs that are due later.
    init?(clocks: [clockid_t]) {
        let timed = clocks.compactMap(TimedJobs.init)
        guard timed.count == clocks.count, let wakeUps = WakeUps(), let countdown = CountdownTimer() else { return nil }
        guard (timed.map(\.timer) + [countdown.descriptor]).allSatisfy(wakeUps.add) else { return nil }
        (self.timed, self.wakeUps, self.countdown) = (timed, wakeUps, countdown)
        pthread_mutex_init(mutex, nil)
    }

    /// Makes an empty queue for one thread, without jobs that are due later; nil when the system allows no more
    /// descriptors.
    init?() {
        guard let wakeUps = WakeUps() else { return nil }
        (timed, self.wakeUps) = ([], wakeUps)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Adds a job from elsewhere, and wakes up a thread for it.
    ///
    /// - Returns: whether there are threads enough for what is there; if not, another thread would be of use.
    @discardableResult
    func add(_ job: UnownedJob) -> Bool {
        let supply = locked {
            jobs.append(job)
            return takeWaiting()
        }
        // With the mutex unlocked, which the thread locks first.
        if supply == .waiting { wakeUps.post() }
        return supply != .insufficient
    }

    /// Adds a job on a thread that calls ``next()`` soon.
    func addHere(_ job: UnownedJob) {
        locked {
            jobs.append(job)
            countdown?.start(Self.patience)
        }
    }

    /// Adds a job that is due when `delay` has passed on `clock`.
    ///
    /// - Precondition: `clock` is one of those that the queue was made with.
    func add(_ job: UnownedJob, after delay: Duration, on clock: clockid_t) {
        locked {
            guard let index = timed.firstIndex(where: { $0.clock == clock }) else {
                preconditionFailure("the queue was made without clock \(clock)")
            }
            timed[index].add(job, after: delay)
        }
    }

    /// Removes and returns the first job; blocks the thread while there is none.
    ///
    /// - Returns: the job, and whether another thread waits: if not, nobody looks after the others and the times.
    func next() -> (job: UnownedJob, isWatched: Bool) {
        locked {
            if !isWatched { for index in timed.indices where timed[index].hasDue { addDue(index) } }
            while jobs.isEmpty { wait() }
            let job = jobs.removeFirst()
            if !jobs.isEmpty { countdown?.start(Self.patience) }
            return (job, isWatched)
        }
    }

    /// Whether a thread waits in ``WakeUps/wait()``, or will return from it.
    private var isWatched: Bool { waiting + (isWaking ? 1 : 0) > 0 }

    /// Chooses a thread to be woken up, unless one is being woken up.
    ///
    /// To be called with the mutex locked.
    private func takeWaiting() -> Supply {
        guard !isWaking else { return waiting < 0 ? .insufficient : .sufficient }
        guard waiting > 0 else { return .insufficient }
        waiting -= 1
        isWaking = true
        return .waiting
    }

    /// Unlocks the mutex, waits until something wakes up this thread, and locks it again.
    private func wait() {
        countdown?.stop()
        waiting += 1
        pthread_mutex_unlock(mutex)
        let descriptor = wakeUps.wait()
        pthread_mutex_lock(mutex)
        guard let descriptor else {
            isWaking = false
            return
        }
        waiting -= 1
        if descriptor == countdown?.descriptor { countdown?.stop() }
        // This sets the timer anew, also in the case that the first job is due in a fraction of a nanosecond.
        for index in timed.indices where timed[index].timer == descriptor { addDue(index) }
    }

    /// Adds the jobs of a clock whose times have come.
    private func addDue(_ index: Int) {
        jobs.append(contentsOf: timed[index].removeDue())
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
