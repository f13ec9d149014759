import HandoffCrypto
package import HandoffModel
package import HandoffWire

/// The pairings that a device remembers until both sides are known to have the same outcome.
package struct PairingRecords: Hashable, Sendable {
    /// The maximum number of records; above it the oldest is dropped, starting with those that are least needed.
    package static let maximumCount = 16
    /// How long after a pairing its reconciliation is tried continuously.
    package static let initialEffortDuration = Duration.seconds(120)
    /// How long reconciliation is tried in each later slot, after a delay that is drawn for it (``SlotSchedule``): two
    /// cycles of a scanner that listens for one second in four, plus a margin.
    package static let slotEffortDuration = Duration.seconds(10)
    /// How long the other side may ask for the outcome of a pairing that was not confirmed here.
    private static let dayMicroseconds: Int64 = 24 * 60 * 60 * 1_000_000
    /// How long a side that does not know the outcome advertises and listens, and one that knows it listens for it; then
    /// only the user of the former can end that state.
    private static let weekMicroseconds = 7 * dayMicroseconds

    /// All records, oldest first.
    package private(set) var all: [PairingRecord] = []

    package init() {}

    /// Creates the collection from stored records.
    package init(_ records: [PairingRecord]) {
        for record in records { keep(record) }
    }

    /// Returns the record with that id.
    package subscript(id: PairingID) -> PairingRecord? {
        all.first { $0.id == id }
    }

    /// Adds a record, or replaces the one with the same id; a reconciled one is removed, since nobody needs to ask.
    package mutating func keep(_ record: PairingRecord) {
        guard !record.isReconciled else { return all.removeAll { $0.id == record.id } }
        if let index = all.firstIndex(where: { $0.id == record.id }) {
            all[index] = record
        } else {
            all.append(record)
        }
        guard all.count > Self.maximumCount else { return }
        let least = all.indices.min { Self.weight(all[$0]) < Self.weight(all[$1]) }
        all.remove(at: least ?? 0)
    }

    /// Records that the unconfirmed pairings with a device have succeeded, because it is trusted now.
    package mutating func markPaired(_ device: DeviceID) {
        for record in unconfirmed where record.peer.id == device { keep(record.withStatus(.paired)) }
    }

    /// Makes the records consistent with the trusted devices: the daemon may have ended after it has written only these.
    package mutating func recover(trusting isTrusted: (DeviceID) -> Bool) {
        for record in unconfirmed where isTrusted(record.peer.id) { keep(record.withStatus(.paired)) }
        // Such a device was removed, and must not learn from this record that it is paired.
        all.removeAll { $0.status == .paired && !isTrusted($0.peer.id) }
    }

    /// Removes the records of successful pairings with a device that has proved that it trusts this one.
    package mutating func forgetPaired(with device: DeviceID) {
        all.removeAll { $0.status == .paired && $0.peer.id == device }
    }

    /// Removes all records of a device; later requests for them are not answered.
    package mutating func forget(_ device: DeviceID) {
        all.removeAll { $0.peer.id == device }
    }

    /// Removes the records that are too old to be asked about; unconfirmed pairings stay until their user ends them,
    /// without their keys.
    ///
    /// Those that began in the future stay: this device's clock may not be set yet.
    package mutating func forgetExpired(at now: Moment) {
        all = all.compactMap { record in
            guard now.unixMicroseconds - record.began >= Self.lifetime(record) else { return record }
            return record.status == .unconfirmed ? record.withoutSettlingKey : nil
        }
    }

    /// The pairings that the local user has confirmed, and whose remote outcome is unknown.
    package var unconfirmed: [PairingRecord] {
        all.filter { $0.status == .unconfirmed }
    }

    /// Returns the pairings of which the other side may not know the outcome, and about which it may ask: those of the
    /// last day, and of the last week those that the local user has confirmed.
    package func unreconciled(at now: Moment) -> [PairingRecord] {
        all.filter { (0..<Self.lifetime($0)).contains(now.unixMicroseconds - $0.began) }
    }

    /// Returns the pairings about which this device asks when it hears the other side.
    ///
    /// One that the local user has not confirmed is only asked about at first: otherwise everybody who has once taken
    /// part in a pairing could make this device call for a day. During a request only those of the request are asked
    /// about that have failed.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - end: until when reconciliation is tried continuously, as `uptime`.
    ///   - activeRequest: the user's active request for pairing; nil when there is none.
    package func toAsk(
        at now: Moment,
        effortUntil end: Duration,
        during activeRequest: ActivePairingRequest? = nil
    ) -> [PairingRecord] {
        let records = unreconciled(at: now)
        if let activeRequest { return records.filter(activeRequest.mayAsk) }
        return records.filter { $0.status != .notPaired || now.uptime < end }
    }

    /// Returns the unconfirmed pairing to advertise for reconciliation at `now`, and when to ask again at the latest
    /// (as `uptime`; nil for not at all).
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - end: until when reconciliation of the newest is tried continuously, as `uptime`.
    package func recordToAdvertise(at now: Moment, effortUntil end: Duration) -> (
        record: PairingRecord?, next: Duration?
    ) {
        // A side that knows the outcome only listens; a side that does not know advertises.
        let unconfirmed = unreconciled(at: now).filter { $0.status == .unconfirmed && $0.settlingKey != nil }
        guard let newest = unconfirmed.last else { return (nil, nil) }
        guard now.uptime >= end else { return (newest, end) }
        let nextSlot = now.uptime + now.timeToNextSlot
        let record = unconfirmed[Int(now.slot % UInt64(unconfirmed.count))]
        guard let key = record.settlingKey else { return (nil, nextSlot) }
        // At the border itself the advertisement would show the error of this device's clock in each slot.
        let delay = SlotSchedule(key: .constant(key)).delay(of: now.slot)
        let start = nextSlot - Moment.slotDuration + delay
        guard now.uptime >= start else { return (nil, start) }
        guard now.uptime < start + Self.slotEffortDuration else { return (nil, nextSlot) }
        return (record, start + Self.slotEffortDuration)
    }

    /// Returns when scanning for unreconciled pairings next decreases, as `uptime`; nil for never.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - end: until when reconciliation is tried continuously, as `uptime`.
    package func effortChange(at now: Moment, effortUntil end: Duration) -> Duration? {
        let asked = toAsk(at: now, effortUntil: end)
        guard !asked.isEmpty else { return nil }
        guard now.uptime >= end else { return end }
        let ends = asked.map { $0.began + Self.lifetime($0) }
        return ends.min().map { now.uptime + .microseconds($0 - now.unixMicroseconds) }
    }

    /// Returns the record that a device asks about.
    package func record(of request: SettleRequest, from device: DeviceID) -> PairingRecord? {
        guard let id = PairingID(bytes: request.pairing), let record = self[id], record.peer.id == device else {
            return nil
        }
        return record
    }

    private static func lifetime(_ record: PairingRecord) -> Int64 {
        record.status == .notPaired ? dayMicroseconds : weekMicroseconds
    }

    /// The priority for keeping a record: highest for a confirmation without an answer, then for an outcome that the
    /// other side does not know.
    private static func weight(_ record: PairingRecord) -> Int {
        switch record.status {
        case .unconfirmed: 2
        case .paired: 1
        case .notPaired: 0
        }
    }
}
