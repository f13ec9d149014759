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

    /// What a thread does next.
    enum Work: Sendable {
        case run(UnownedJob)
        case wakeUp(Sleeper)
    }

    /// How long jobs wait for threads that are awake, before another one is woken up.
    static let patience = Duration.milliseconds(4)

    private let wakeUps: WakeUps
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    // What follows is used only between locking and unlocking the mutex.
    private var works: Deque<Work> = []
    private var sleepers: SleeperQueue
    /// Wakes up a thread when jobs have waited for too long.
    private var countdown: CountdownTimer
    /// The number of threads that wait, without the one that is being woken up; -1 if something else has woken that one
    /// first, and it does not know yet.
    private var waiting = 0
    /// Whether a thread is being woken up, which looks for a job next.
    private var isWaking = false

    /// Makes an empty queue; nil when the system allows no more descriptors.
    init?() {
        guard let sleepers = SleeperQueue(), let wakeUps = WakeUps(), let countdown = CountdownTimer() else {
            return nil
        }
        guard [sleepers.timer, countdown.descriptor].allSatisfy(wakeUps.add) else { return nil }
        (self.sleepers, self.wakeUps, self.countdown) = (sleepers, wakeUps, countdown)
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
            works.append(.run(job))
            return takeWaiting()
        }
        // With the mutex unlocked, which the thread locks first.
        if supply == .waiting { wakeUps.post() }
        return supply != .insufficient
    }

    /// Adds a job on a thread that calls ``next()`` soon.
    func addHere(_ job: UnownedJob) {
        locked {
            works.append(.run(job))
            countdown.start(Self.patience)
        }
    }

    /// Adds a task that is to be woken up when `delay` has passed, unless it was cancelled meanwhile.
    func add(_ sleeper: Sleeper, after delay: Duration) {
        locked { if !sleeper.isOver { sleepers.add(sleeper, after: delay) } }
    }

    /// Records that a task that was added does not wait any more.
    func noteEnd() {
        locked { sleepers.noteEnd() }
    }

    /// Removes and returns what is to be done first; blocks the thread while there is nothing.
    ///
    /// - Returns: the work, and whether another thread waits: if not, nobody looks after the rest and the times.
    func next() -> (work: Work, isWatched: Bool) {
        locked {
            if !isWatched, sleepers.hasDue { addDue() }
            while works.isEmpty { wait() }
            let work = works.removeFirst()
            if !works.isEmpty { countdown.start(Self.patience) }
            return (work, isWatched)
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
        countdown.stop()
        waiting += 1
        pthread_mutex_unlock(mutex)
        let descriptor = wakeUps.wait()
        pthread_mutex_lock(mutex)
        guard let descriptor else {
            isWaking = false
            return
        }
        waiting -= 1
        if descriptor == countdown.descriptor { countdown.stop() }
        // This sets the timer anew, also in the case that the first one is due in a fraction of a nanosecond.
        if descriptor == sleepers.timer { addDue() }
    }

    /// Adds those whose times have come.
    private func addDue() {
        works.append(contentsOf: sleepers.removeDue().map(Work.wakeUp))
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
