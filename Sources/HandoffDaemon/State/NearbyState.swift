import DBus
import HandoffCore
import HandoffModel

/// The engine's state of what is nearby, and of who looks for it.
struct NearbyState: Sendable {
    var table = NearbyTable()
    var knownTypes = KnownTypes()
    var clockSkew = ClockSkewDetector()
    var scanPolicy: ScanPolicy
    /// The clients that look for activities at this moment.
    var activeScanners: Set<BusName> = []
    /// What was fetched of the entries, by which it is known what opens them.
    var previews: [NearbyEntry.ID: Activity] = [:]
    /// The devices that have answered that a rule there gives this one nothing, and the slot in which they have: until the
    /// next one, nothing of them is offered.
    var refusing: [DeviceID: UInt64] = [:]
    /// How many channels are being opened for which somebody waits.
    var awaitedDials = 0
    /// Whether the session is locked or idle.
    var isAway = false
    /// When each device was heard last in this run of the daemon.
    var lastSeen: [DeviceID: Moment] = [:]

    init(at now: Moment) {
        scanPolicy = ScanPolicy(at: now.uptime)
    }

    /// Returns whether a device is heard at present: for as long after its last advertisement as its entry stays.
    func isHeard(_ device: DeviceID, at now: Moment) -> Bool {
        lastSeen[device].map { now.uptime - $0.uptime < NearbyTable.timeout } ?? false
    }
}
