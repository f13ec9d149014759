/// Decides whether our discovery on one adapter should run.
///
/// bluetoothd allows each connection one discovery session for each adapter (bluez src/adapter.c, start_discovery), and
/// connecting works badly while it runs. So all readers share one session, which is stopped while any caller has paused
/// it.
///
/// Pure: it returns the next step and is notified of the result.
struct DiscoveryArbiter {
    /// A request to bluetoothd.
    enum Step: Hashable {
        case start, stop
    }

    /// How often in a row discovery was on before ours began, until another program counts as one that keeps it on; a
    /// program that looks for a device for a moment does not count.
    static let sightingsOfOthers = 3

    /// How long bluetoothd may take to report that discovery has ended with ours.
    let settling: Duration
    /// How long discovery has to stay on while ours is off, until another program counts as one that keeps it on: as long
    /// as three of our windows take, with the pauses between them.
    let persistence: Duration

    private var stoppedAt: ContinuousClock.Instant?
    private var sightings = 0
    /// Since when discovery was on for others while ours was off; nil while that is not so.
    private var othersSince: ContinuousClock.Instant?
    private var readers: Set<UInt64> = []
    private var pauses = 0
    /// Whether bluetoothd has started our session.
    private(set) var isOn = false
    private var wasSeenOn = false

    /// The next request to bluetoothd; nil if the session is in the desired state.
    var nextStep: Step? {
        let isWanted = !readers.isEmpty && pauses == 0
        if isWanted == isOn { return nil }
        return isWanted ? .start : .stop
    }

    init(settling: Duration = .seconds(1), persistence: Duration = .seconds(12)) {
        self.settling = settling
        self.persistence = persistence
    }

    mutating func join(_ reader: UInt64) {
        readers.insert(reader)
    }

    mutating func leave(_ reader: UInt64) {
        readers.remove(reader)
    }

    mutating func pause() {
        pauses += 1
    }

    mutating func resume() {
        precondition(pauses > 0, "resumed more often than paused")
        pauses -= 1
    }

    /// Processes the value of `Adapter1.Discovering` before our session is started.
    ///
    /// - Returns: whether another program keeps discovery on; nil when that cannot be told so soon after our last session.
    mutating func willStart(isDiscovering: Bool, at now: ContinuousClock.Instant) -> Bool? {
        if let stoppedAt, now - stoppedAt < settling { return nil }
        sightings = isDiscovering ? min(sightings + 1, Self.sightingsOfOthers) : 0
        return sightings == Self.sightingsOfOthers
    }

    /// Processes the value of `Adapter1.Discovering` while our session may be off, as it is for hours while sound plays.
    ///
    /// - Returns: whether another program keeps discovery on, nil when that cannot be told; and when to ask again if the
    ///   value stays the same, nil for not at all.
    mutating func observeOthers(
        isDiscovering: Bool,
        at now: ContinuousClock.Instant
    ) -> (verdict: Bool?, again: ContinuousClock.Instant?) {
        guard !isOn, nextStep == nil else {
            othersSince = nil
            return (nil, nil)
        }
        guard isDiscovering else {
            (othersSince, sightings) = (nil, 0)
            return (false, nil)
        }
        if let settled = stoppedAt.map({ $0 + settling }), now < settled { return (nil, settled) }
        let since = othersSince ?? now
        othersSince = since
        guard now >= since + persistence else { return (nil, since + persistence) }
        // The verdict holds when our next session begins.
        sightings = Self.sightingsOfOthers
        return (true, nil)
    }

    /// Records that bluetoothd has started our session.
    mutating func didStart() {
        isOn = true
        othersSince = nil
        wasSeenOn = false
    }

    /// Records that our session has ended, stopped by us or by bluetoothd.
    mutating func didStop(at now: ContinuousClock.Instant) {
        isOn = false
        stoppedAt = now
    }

    /// Records that bluetoothd refused to start discovery; returns the readers to notify, and removes them.
    mutating func didFail() -> Set<UInt64> {
        isOn = false
        defer { readers = [] }
        return readers
    }

    /// Processes the value of `Adapter1.Discovering`.
    ///
    /// It becomes true shortly after StartDiscovery was answered, and stays true through the pauses between the scans
    /// of bluetoothd (bluez src/adapter.c, discovering_callback). So if it was true and is false now, our session has
    /// ended.
    ///
    /// - Returns: whether our session was ended from outside.
    mutating func observe(isDiscovering: Bool) -> Bool {
        guard isOn else { return false }
        if isDiscovering { wasSeenOn = true }
        return wasSeenOn && !isDiscovering
    }
}
