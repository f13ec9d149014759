import Glibc
private import HeapModule

/// Jobs that wait for their times on one clock, and a timer of the kernel for the first of them.
struct TimedJobs: Sendable {
    private struct Entry: Comparable, Sendable {
        let time: Duration
        /// Jobs with equal times keep their order.
        let number: Int
        let job: UnownedJob

        static func < (one: Entry, other: Entry) -> Bool { (one.time, one.number) < (other.time, other.number) }

        static func == (one: Entry, other: Entry) -> Bool { one.number == other.number }
    }

    let clock: clockid_t
    /// The descriptor of the timer, which is readable when the first job is due; it is never closed.
    var timer: CInt { kernelTimer.descriptor }

    private let kernelTimer: KernelTimer
    private var entries = Heap<Entry>()
    private var count = 0

    /// Makes a list; nil when the system allows no more descriptors.
    init?(_ clock: clockid_t) {
        guard let timer = KernelTimer(clock) else { return nil }
        (self.clock, kernelTimer) = (clock, timer)
    }

    /// Adds a job that is due when `delay` has passed.
    mutating func add(_ job: UnownedJob, after delay: Duration) {
        let first = entries.min
        entries.insert(Entry(time: now + max(delay, .zero), number: count, job: job))
        count += 1
        if entries.min != first { setTimer() }
    }

    /// Whether a job is due.
    var hasDue: Bool { entries.min.map { $0.time <= now } ?? false }

    /// Removes the jobs that are due, and sets the timer for the next one.
    mutating func removeDue() -> [UnownedJob] {
        var due: [UnownedJob] = []
        let now = now
        while let entry = entries.min, entry.time <= now {
            due.append(entry.job)
            entries.removeMin()
        }
        setTimer()
        return due
    }

    private var now: Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Sets the timer for the first job, which also makes it unreadable until then; a time of zero would stop it.
    private func setTimer() {
        kernelTimer.set(at: entries.min.map { max($0.time, .nanoseconds(1)) } ?? .zero)
    }
}
