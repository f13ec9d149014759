import Glibc
private import HeapModule

/// Tasks that wait for their times, and a timer of the kernel for the first of them.
struct SleeperQueue: Sendable {
    private struct Entry: Comparable, Sendable {
        let time: Duration
        /// Sleepers with equal times keep their order.
        let number: Int
        let sleeper: Sleeper

        static func < (one: Entry, other: Entry) -> Bool { (one.time, one.number) < (other.time, other.number) }

        static func == (one: Entry, other: Entry) -> Bool { one.number == other.number }
    }

    /// The descriptor of the timer, which is readable when the first one is due; it is never closed.
    var timer: CInt { kernelTimer.descriptor }

    private let kernelTimer: KernelTimer
    private var entries = Heap<Entry>()
    private var count = 0
    /// How many of the entries are of tasks that do not wait any more.
    private var ended = 0

    /// Makes an empty queue; nil when the system allows no more descriptors.
    init?() {
        guard let timer = KernelTimer(CLOCK_BOOTTIME) else { return nil }
        kernelTimer = timer
    }

    /// Adds one that is due when `delay` has passed, also while the machine is suspended.
    mutating func add(_ sleeper: Sleeper, after delay: Duration) {
        let first = entries.min
        entries.insert(Entry(time: now + max(delay, .zero), number: count, sleeper: sleeper))
        count += 1
        if entries.min != first { setTimer() }
    }

    /// Records that one of them does not wait any more, so that nothing wakes up for it at its time.
    mutating func noteEnd() {
        ended += 1
        // Most waits are limits that are not reached: those that have ended must not fill the queue.
        if ended * 2 > entries.count {
            entries = Heap(entries.unordered.filter { !$0.sleeper.isOver })
            ended = 0
        }
        setTimer()
    }

    /// How many there are, with those of tasks that do not wait any more.
    var size: Int { entries.count }

    /// Whether one is due.
    var hasDue: Bool { entries.min.map { $0.time <= now } ?? false }

    /// Removes those that are due, and sets the timer for the next one.
    mutating func removeDue() -> [Sleeper] {
        var due: [Sleeper] = []
        let now = now
        while let entry = entries.min, entry.time <= now {
            due.append(entry.sleeper)
            entries.removeMin()
        }
        setTimer()
        return due
    }

    private var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Sets the timer for the first one that waits, which also makes it unreadable until then; a time of zero would stop it.
    private mutating func setTimer() {
        while entries.min?.sleeper.isOver == true {
            entries.removeMin()
            ended = max(0, ended - 1)
        }
        kernelTimer.set(at: entries.min.map { max($0.time, .nanoseconds(1)) } ?? .zero)
    }
}
