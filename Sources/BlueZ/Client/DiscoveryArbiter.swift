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

    /// Records that bluetoothd has started our session.
    mutating func didStart() {
        isOn = true
        wasSeenOn = false
    }

    /// Records that our session has ended, stopped by us or by bluetoothd.
    mutating func didStop() {
        isOn = false
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
