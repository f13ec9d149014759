package import Bluetooth
package import HandoffModel
package import HandoffRadio
package import HandoffWire

/// The activities of trusted devices nearby, at most one per device.
///
/// An entry stands for one activity: another activity of the same type has another number and so another entry. An entry
/// is removed when its device withdraws it or advertises another activity, when the device was not heard for
/// ``timeout``, when the device is no longer trusted, or when this device cannot hear any more. A replayed
/// advertisement changes nothing as long as the device itself is heard (decision 46).
package struct NearbyTable: Sendable {
    /// A change to the table.
    package enum Change: Hashable, Sendable {
        case added(NearbyEntry)
        /// A visible property has changed: the web page, the document or the signal strength.
        case changed(NearbyEntry)
        case removed(NearbyEntry)
    }

    /// One opened advertisement of a trusted device.
    package struct Report: Hashable, Sendable {
        package let device: DeviceID
        /// The hash of the activity's type and team; nil for a withdrawal.
        package let typeHash: ActivityTypeHash?
        /// Its place in the order of all advertisements of the device.
        package let number: AdvertisementNumber
        package let hasWebpage: Bool
        package let hasDocument: Bool
        package let rssi: Int8?
        package let address: RadioAddress
        package let port: LEPSM

        package init(
            device: DeviceID,
            typeHash: ActivityTypeHash?,
            number: AdvertisementNumber,
            hasWebpage: Bool,
            hasDocument: Bool = false,
            rssi: Int8?,
            address: RadioAddress,
            port: LEPSM
        ) {
            self.device = device
            self.typeHash = typeHash
            self.number = number
            self.hasWebpage = hasWebpage
            self.hasDocument = hasDocument
            self.rssi = rssi
            self.address = address
            self.port = port
        }
    }

    /// How long an entry is kept without being heard.
    ///
    /// A duty-cycled scanner listens for one second in four, and an advertiser on an old bluetoothd repeats itself
    /// every 1.28 s: each window receives it with probability 0.78, so that seven windows in a row without it have a
    /// probability of one in 40,000.
    package static let timeout = Duration.seconds(30)

    /// The smallest change of the signal strength that is reported, in dB.
    package static let rssiStep: Int = 6

    private var entries: [DeviceID: NearbyEntry] = [:]
    private var reportedRSSI: [DeviceID: Int8] = [:]
    /// The latest advertisement of each device that was heard.
    private var latest: [DeviceID: LatestAdvertisement] = [:]
    private var endpoints: [DeviceID: RecentEndpoints] = [:]
    /// Until when, as `uptime`, devices may go on in an earlier slot: just after the clock here was set back.
    private var setBackUntil = Duration.zero
    /// The devices that have done so: a second time it is a replay.
    private var setBack: Set<DeviceID> = []
    private var nextID: NearbyEntry.ID = 1

    package init() {}

    /// All entries, nearest first.
    package var all: [NearbyEntry] {
        entries.values.sorted { ($0.rssi ?? .min, $1.id) > ($1.rssi ?? .min, $0.id) }
    }

    /// Returns the entry with that id, if it exists.
    package subscript(id: NearbyEntry.ID) -> NearbyEntry? {
        entries.values.first { $0.id == id }
    }

    /// Returns whether there is or was an entry with that id.
    package func hasHad(entry id: NearbyEntry.ID) -> Bool { id.rawValue > 0 && id < nextID }

    /// The `uptime` at which the next entry times out; nil for never.
    package var nextTimeout: Duration? { entries.values.map { $0.lastSeen.uptime + Self.timeout }.min() }

    /// Returns the endpoint at which a device was heard within ``RecentEndpoints/lifetime``; nil for none.
    package func endpoint(of device: DeviceID, at now: Moment) -> PeerEndpoint? {
        endpoints[device]?.latest(at: now.uptime)
    }

    /// The slot in which a device was heard last; nil if it never was.
    package func slot(of device: DeviceID) -> UInt64? { latest[device]?.number.slot }

    /// Returns the endpoints at which a device was heard recently, the last one first.
    package func endpoints(of device: DeviceID) -> [PeerEndpoint] { endpoints[device]?.all ?? [] }

    /// Handles one opened advertisement, and returns the changes to the table.
    package mutating func insert(_ report: Report, at now: Moment) -> [Change] {
        let before = latest[report.device]?.number
        guard accepts(report, at: now) else { return [] }
        guard let typeHash = report.typeHash else { return remove(report.device) }
        guard var entry = entries[report.device], entry.typeHash == typeHash, let before,
            report.number == before || report.number.continues(before)
        else {
            return remove(report.device) + [.added(add(report, typeHash, at: now))]
        }
        let isVisible =
            entry.hasWebpage != report.hasWebpage || entry.hasDocument != report.hasDocument
            || isSignificant(report.rssi, of: report.device)
        entry.hasWebpage = report.hasWebpage
        entry.hasDocument = report.hasDocument
        entry.rssi = report.rssi ?? entry.rssi
        entry.lastSeen = now
        entry.address = report.address
        entry.port = report.port
        entries[report.device] = entry
        guard isVisible else { return [] }
        reportedRSSI[report.device] = entry.rssi
        return [.changed(entry)]
    }

    /// Removes the entries that were not heard for ``timeout``.
    package mutating func expire(at now: Moment) -> [Change] {
        entries.values
            .filter { now.uptime - $0.lastSeen.uptime >= Self.timeout }
            .sorted { $0.id < $1.id }
            .flatMap { remove($0.device) }
    }

    /// Removes the entry of a device, because it was withdrawn or the device is no longer trusted.
    package mutating func remove(_ device: DeviceID) -> [Change] {
        reportedRSSI[device] = nil
        return entries.removeValue(forKey: device).map { [.removed($0)] } ?? []
    }

    /// Removes all entries, because nothing can be heard any more.
    package mutating func removeAll() -> [Change] {
        entries.values.sorted { $0.id < $1.id }.flatMap { remove($0.device) }
    }

    /// Records that the clock of this device was set back: what was heard before has numbers of slots that are still to come.
    ///
    /// As after a start, whatever comes first is accepted. Another device whose clock is set back as well may do that some
    /// seconds later, and goes on in an earlier slot then, once.
    package mutating func clockWasSetBack(at uptime: Duration) {
        (latest, setBack) = ([:], [])
        setBackUntil = uptime + Self.timeout
    }

    /// Replaces an entry by what its origin has answered in a session, where it has proved who it is, that it shows now:
    /// nothing, or an activity.
    package mutating func replace(entry id: NearbyEntry.ID, by current: CurrentActivity?, at now: Moment) -> [Change] {
        guard let entry = self[id] else { return [] }
        guard let current else {
            latest[entry.device]?.end(at: now.uptime)
            return remove(entry.device)
        }
        // The word of the origin counts more than a number that another member may have made up.
        latest[entry.device] = nil
        return insert(Report(current, insteadOf: entry), at: now)
    }

    /// Returns whether a report is no replay.
    ///
    /// Its endpoint is recorded also if it seems to be one of the same or a later slot: a member may have made up a greater
    /// number, and only the device itself can tell, when it is called there.
    private mutating func accepts(_ report: Report, at now: Moment) -> Bool {
        let first = LatestAdvertisement(report.number, report.typeHash, at: now.uptime)
        let slot = latest[report.device]?.number.slot ?? report.number.slot
        if report.number.slot < slot, now.uptime < setBackUntil, setBack.insert(report.device).inserted {
            latest[report.device] = nil
        }
        let isAccepted = latest[report.device, default: first].accepts(report.number, report.typeHash, at: now.uptime)
        if isAccepted || report.number.slot >= slot {
            let endpoint = PeerEndpoint(address: report.address, port: report.port)
            endpoints[report.device, default: RecentEndpoints()].insert(endpoint, at: now.uptime)
        }
        return isAccepted
    }

    private mutating func add(_ report: Report, _ typeHash: ActivityTypeHash, at now: Moment) -> NearbyEntry {
        let entry = NearbyEntry(
            id: nextID,
            device: report.device,
            activity: AdvertisedActivity(typeHash: typeHash, number: report.number),
            hasWebpage: report.hasWebpage,
            hasDocument: report.hasDocument,
            rssi: report.rssi,
            firstSeen: now,
            lastSeen: now,
            address: report.address,
            port: report.port
        )
        nextID = nextID.next
        entries[report.device] = entry
        reportedRSSI[report.device] = report.rssi
        return entry
    }

    private func isSignificant(_ rssi: Int8?, of device: DeviceID) -> Bool {
        guard let rssi else { return false }
        guard let reported = reportedRSSI[device] else { return true }
        return abs(Int(rssi) - Int(reported)) >= Self.rssiStep
    }
}

extension NearbyTable.Report {
    /// What a device has answered instead of the activity of an entry; it was heard where the entry was.
    fileprivate init(_ current: CurrentActivity, insteadOf entry: NearbyEntry) {
        self.init(
            device: entry.device,
            typeHash: current.activity.typeHash,
            number: current.activity.number,
            hasWebpage: current.hasWebpage,
            hasDocument: current.hasDocument,
            rssi: entry.rssi,
            address: entry.address,
            port: entry.port
        )
    }
}
