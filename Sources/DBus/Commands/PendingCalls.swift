import HeapModule

/// The calls that wait for an answer, by serial number and by deadline.
///
/// Confined to the connection's thread.
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
    /// Answered calls stay here until they come up or until they outnumber the others.
    private var deadlines = Heap<Deadline>()

    mutating func add(_ call: PendingCall, serial: UInt32) {
        calls[serial] = call
        serials[call.id] = serial
        deadlines.insert(Deadline(instant: call.deadline, serial: serial))
    }

    /// Takes out the call that a message from `sender` answers.
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

    /// Takes out the call `id`.
    mutating func remove(_ id: CallID) -> PendingCall? {
        serials[id].flatMap { remove(serial: $0) }
    }

    /// Takes out one call whose deadline is at or before `now`.
    mutating func removeExpired(_ now: ContinuousClock.Instant) -> PendingCall? {
        guard let first = nextDeadline, first <= now, let serial = deadlines.min?.serial else { return nil }
        return remove(serial: serial)
    }

    /// Takes out all calls.
    mutating func removeAll() -> [PendingCall] {
        defer { self = PendingCalls() }
        return Array(calls.values)
    }

    /// When the next call has waited long enough.
    var nextDeadline: ContinuousClock.Instant? { deadlines.min?.instant }

    /// Keeps answered calls from waking the thread, and from piling up behind one that waits for long.
    private mutating func removeStaleDeadlines() {
        while let first = deadlines.min, calls[first.serial] == nil { deadlines.removeMin() }
        guard deadlines.count > 2 * calls.count + 64 else { return }
        deadlines = Heap(calls.map { Deadline(instant: $0.value.deadline, serial: $0.key) })
    }
}
