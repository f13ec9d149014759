/// Decides whether our discovery on one adapter should run.
///
/// bluetoothd allows each connection one discovery session for each adapter (bluez src/adapter.c, start_discovery), and
/// dialling wants it out of the way. So all who listen share one session, and it rests while anybody asks for quiet.
///
/// Pure: it says what to do next, and is told what came of it.
struct DiscoveryArbiter {
    /// What to ask of bluetoothd.
    enum Step: Hashable {
        case start, stop
    }

    private var readers: Set<UInt64> = []
    private var pauses = 0
    private var isOn = false
    private var wasSeenOn = false

    /// What to ask of bluetoothd now; nil when all is as it should be.
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

    /// bluetoothd has started our session.
    mutating func didStart() {
        isOn = true
        wasSeenOn = false
    }

    /// Our session is gone, because we ended it or because bluetoothd did.
    mutating func didStop() {
        isOn = false
    }

    /// bluetoothd would not start: everybody who listens is told, and nobody listens any more.
    mutating func didFail() -> Set<UInt64> {
        isOn = false
        defer { readers = [] }
        return readers
    }

    /// Looks at `Adapter1.Discovering`.
    ///
    /// It turns true a moment after StartDiscovery was answered, and stays so through the pauses that bluetoothd makes
    /// between its scans (bluez src/adapter.c, discovering_callback); so if it was true and is not, our session is gone.
    ///
    /// - Returns: whether our session was ended from outside.
    mutating func observe(isDiscovering: Bool) -> Bool {
        guard isOn else { return false }
        if isDiscovering { wasSeenOn = true }
        return wasSeenOn && !isDiscovering
    }
}
