package import HandoffModel
package import HandoffWire

/// The pairings that a device remembers until both sides are known to know how they have ended.
package struct PairingRecords: Hashable, Sendable {
    /// How many are remembered; beyond that the oldest goes, of those first that claim the least.
    package static let maximumCount = 16
    /// How long after a pairing it is settled with all effort.
    package static let initialEffortDuration = Duration.seconds(120)
    /// For how long at the beginning of each slot it is settled afterwards: two cycles of a scanner that listens for one
    /// second in four, and a little.
    package static let slotEffortDuration = Duration.seconds(10)
    /// For how long a side that knows how it has ended listens for one that does not.
    private static let listeningMicroseconds: Int64 = 24 * 60 * 60 * 1_000_000

    /// All of them, the oldest first.
    package private(set) var all: [PairingRecord] = []

    package init() {}

    /// Those that were remembered before.
    package init(_ records: [PairingRecord]) {
        for record in records { keep(record) }
    }

    /// The pairing of that id.
    package subscript(id: PairingID) -> PairingRecord? {
        all.first { $0.id == id }
    }

    /// Remembers a pairing, or how it stands by now.
    package mutating func keep(_ record: PairingRecord) {
        if let index = all.firstIndex(where: { $0.id == record.id }) {
            all[index] = record
        } else {
            all.append(record)
        }
        guard all.count > Self.maximumCount else { return }
        let least = all.indices.min { Self.weight(all[$0]) < Self.weight(all[$1]) }
        all.remove(at: least ?? 0)
    }

    /// Forgets what is remembered of a device; nobody who asks later will be told anything.
    package mutating func forget(_ device: DeviceID) {
        all.removeAll { $0.peer.id == device }
    }

    /// Those that the person here has confirmed, and of which nobody knows what the other side's person said.
    package var unconfirmed: [PairingRecord] {
        all.filter { $0.status == .unconfirmed }
    }

    /// Those of which the other side may not know how they have ended.
    package func unreconciled(at now: Moment) -> [PairingRecord] {
        all.filter { record in
            guard !record.isReconciled else { return false }
            return record.status == .unconfirmed
                || (0..<Self.listeningMicroseconds).contains(now.unixMicroseconds - record.began)
        }
    }

    /// The unconfirmed pairing whose settling belongs on the air at `now`, and when to ask again at the latest (as `uptime`; nil for
    /// not at all).
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - end: until when the newest is settled with all effort, as `uptime`.
    package func beacon(at now: Moment, effortUntil end: Duration) -> (record: PairingRecord?, next: Duration?) {
        // Who knows how it has ended listens; only who does not know calls for an answer.
        let unconfirmed = unconfirmed
        guard let newest = unconfirmed.last else { return (nil, nil) }
        guard now.uptime >= end else { return (newest, end) }
        let nextSlot = now.uptime + now.timeToNextSlot
        let windowEnd = nextSlot - Moment.slotDuration + Self.slotEffortDuration
        guard now.uptime < windowEnd else { return (nil, nextSlot) }
        return (unconfirmed[Int(now.slot % UInt64(unconfirmed.count))], windowEnd)
    }

    /// When less is listened for the sake of unsettled pairings than now, as `uptime`; nil for never.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - end: until when they are settled with all effort, as `uptime`.
    package func effortChange(at now: Moment, effortUntil end: Duration) -> Duration? {
        let unreconciled = unreconciled(at: now)
        guard !unreconciled.isEmpty else { return nil }
        guard now.uptime >= end else { return end }
        let ends = unreconciled.filter { $0.status != .unconfirmed }.map { $0.began + Self.listeningMicroseconds }
        return ends.min().map { now.uptime + .microseconds($0 - now.unixMicroseconds) }
    }

    /// The pairing that a device asks about.
    package func record(of request: SettleRequest, from device: DeviceID) -> PairingRecord? {
        guard let id = PairingID(bytes: request.pairing), let record = self[id], record.peer.id == device else {
            return nil
        }
        return record
    }

    /// What counts against forgetting it: a person's unanswered yes most, then what the other side does not know.
    private static func weight(_ record: PairingRecord) -> Int {
        switch record.status {
        case .unconfirmed: 3
        case .paired where !record.isReconciled: 2
        case .notPaired where !record.isReconciled: 1
        case .paired, .notPaired: 0
        }
    }
}
