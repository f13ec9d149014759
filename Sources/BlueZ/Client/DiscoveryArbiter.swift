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

    private var stoppedAt: ContinuousClock.Instant?
    private var sightings = 0
    private var readers: Set<UInt64> = []
    private var pauses = 0
    private var isOn = false
    private var wasSeenOn = false

    /// The next request to bluetoothd; nil if the session is in the desired state.
    var nextStep: Step? {
        let isWanted = !readers.isEmpty && pauses == 0
        if isWanted == isOn { return nil }
        return isWanted ? .start : .stop
    }

    init(settling: Duration = .seconds(1)) {
        self.settling = settling
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

    /// Records that bluetoothd has started our session.
    mutating func didStart() {
        isOn = true
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
