import HeapModule

/// The calls that wait for a reply, by serial number and by deadline.
///
/// Confined to the loop's thread.
struct PendingCalls {
    private struct Deadline: Comparable {
        let instant: ContinuousClock.Instant
        let serial: UInt32

        static func < (left: Deadline, right: Deadline) -> Bool {
            (left.instant, left.serial) < (right.instant, right.serial)
        }
    }

    private var calls: [UInt32: PendingCall] = [:]
    private var serials: [CallID: UInt32] = [:]
    /// Deadlines of answered calls remain here until they are the earliest or outnumber the others.
    private var deadlines = Heap<Deadline>()

    mutating func add(_ call: PendingCall, serial: UInt32) {
        calls[serial] = call
        serials[call.id] = serial
        deadlines.insert(Deadline(instant: call.deadline, serial: serial))
    }

    /// Removes and returns the call that a message from `sender` answers.
    mutating func removeAnswered(serial: UInt32, by sender: BusName?) -> PendingCall? {
        guard let call = calls[serial], call.accepts(sender) else { return nil }
        return remove(serial: serial)
    }

    private mutating func remove(serial: UInt32) -> PendingCall? {
        guard let call = calls.removeValue(forKey: serial) else { return nil }
        serials[call.id] = nil
        removeStaleDeadlines()
        return call
    }

    /// Removes and returns the call `id`.
    mutating func remove(_ id: CallID) -> PendingCall? {
        serials[id].flatMap { remove(serial: $0) }
    }

    /// Removes and returns one call whose deadline is at or before `now`.
    mutating func removeExpired(_ now: ContinuousClock.Instant) -> PendingCall? {
        guard let first = nextDeadline, first <= now, let serial = deadlines.min?.serial else { return nil }
        return remove(serial: serial)
    }

    /// Removes and returns all calls.
    mutating func removeAll() -> [PendingCall] {
        defer { self = PendingCalls() }
        return Array(calls.values)
    }

    /// The earliest deadline; nil if no call is pending.
    var nextDeadline: ContinuousClock.Instant? { deadlines.min?.instant }

    /// Prevents deadlines of answered calls from waking the thread and from accumulating behind a long-running call.
    private mutating func removeStaleDeadlines() {
        while let first = deadlines.min, calls[first.serial] == nil { deadlines.removeMin() }
        guard deadlines.count > 2 * calls.count + 64 else { return }
        deadlines = Heap(calls.map { Deadline(instant: $0.value.deadline, serial: $0.key) })
    }
}
