import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire

/// What the engine knows of pairings: the one that a person has asked for, and those that are not settled.
struct PairingState: Sendable {
    /// A person's request that is under way, as far as the air is concerned.
    struct ActiveRequest: Sendable {
        let advertisement: Advertisement
        /// Is told which devices that pair are heard, and where.
        let onAdvertisement: @Sendable (PairingToken, PeerEndpoint) -> Void
        /// Is told which of ``abandoned`` are settled.
        let onReconciled: @Sendable (PairingID) -> Void
        /// The pairings of this request of which nothing comes any more on this side.
        var abandoned: Set<PairingID> = []
    }

    /// The tries to settle one pairing.
    private struct Attempts: Sendable {
        var count = 0
        var slot: UInt64 = 0
        var last: Duration
    }

    private struct Sealed: Sendable {
        let id: PairingID
        let slot: UInt64
        let port: ChannelPort
        let advertisement: Advertisement
    }

    /// How often a pairing is settled with all effort.
    private static let maximumInitialAttempts = 6
    /// How long to wait between two tries.
    private static let retryDelay = Duration.seconds(3)

    var activeRequest: ActiveRequest?
    /// Whether the daemon stops, and nothing is settled any more.
    var isStopping = false
    private(set) var records = PairingRecords()
    /// Finds the devices that may settle a pairing and nothing else; nil when there are none.
    private(set) var trial: NoiseResponderTrial<DeviceID>?
    /// Until when unsettled pairings are settled with all effort.
    var effortEnd = Duration.zero
    private var file: PairingsFile?
    private var opener: AdvertisementOpener<PairingID>?
    private var endpoints: [PairingID: PeerEndpoint] = [:]
    private var attempts: [PairingID: Attempts] = [:]
    private var sealed: Sealed?

    init() {}

    /// What was remembered before.
    init(_ file: PairingsFile, for identity: Identity) throws(HandoffError) {
        self.file = file
        records = try file.read()
        try derive(for: identity)
    }

    /// Remembers a pairing, or how it stands by now.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`, or `invalidCard` for a key that protects nothing; then nothing
    ///   has changed.
    mutating func keep(_ record: PairingRecord, for identity: Identity) throws(HandoffError) {
        var draft = self
        draft.records.keep(record)
        try draft.derive(for: identity)
        try file?.write(draft.records)
        self = draft
    }

    /// Takes in that a device is trusted, however that came; true when a pairing with it was unconfirmed.
    mutating func trusted(_ device: DeviceID) -> Bool {
        let open = records.unconfirmed.filter { $0.peer.id == device }
        for record in open { records.keep(record.withStatus(.paired)) }
        return !open.isEmpty
    }

    /// Forgets all pairings with a device; what cannot be written down is forgotten all the same until the next start.
    mutating func forget(_ device: DeviceID, for identity: Identity) {
        guard records.all.contains(where: { $0.peer.id == device }) else { return }
        records.forget(device)
        try? derive(for: identity)
        try? file?.write(records)
    }

    /// What to listen for.
    var services: Set<ServiceUUID> {
        activeRequest == nil ? [Engine.service] : [Engine.service, Engine.pairingService]
    }

    /// Whether a device asks about a pairing that the person here may still confirm.
    func isUndecided(_ request: SettleRequest, from device: DeviceID) -> Bool {
        guard let activeRequest, let record = records.record(of: request, from: device) else { return false }
        return record.status == .notPaired && !record.isReconciled && !activeRequest.abandoned.contains(record.id)
    }

    /// How much to listen because of pairings; nil where they do not matter.
    func effort(at now: Moment) -> Engine.ScanningPlan.Effort? {
        if activeRequest != nil { return .continuous }
        guard !records.unreconciled(at: now).isEmpty else { return nil }
        return now.uptime < effortEnd ? .continuous : .dutyCycled
    }

    /// The pairing whose settling belongs on the air, sealed.
    mutating func beacon(at now: Moment, port: ChannelPort) -> (advertisement: Advertisement?, next: Duration?) {
        guard !isStopping else { return (nil, nil) }
        let (record, change) = records.beacon(at: now, effortUntil: effortEnd)
        let next = [change, records.effortChange(at: now, effortUntil: effortEnd)].compactMap(\.self).min()
        guard let record else { return (nil, next) }
        if let sealed, sealed.id == record.id, sealed.slot == now.slot, sealed.port == port {
            return (sealed.advertisement, next)
        }
        let sealer = AdvertisementSealer(key: record.settlingKey, slot: now.slot)
        let payload = AdvertisementPayload(.withdrawal, port: port).encode()
        let advertisement = Advertisement(service: Engine.service, data: sealer.seal(payload), pace: .fast)
        sealed = Sealed(id: record.id, slot: now.slot, port: port, advertisement: advertisement)
        return (advertisement, next)
    }

    /// Takes in an advertisement that is no trusted device's; true when it tells where a pairing can be settled.
    mutating func receive(_ report: AdvertisementReport, slot: UInt64) -> Bool {
        guard let opened = opener?.open(report.data, slot: slot),
            let payload = try? AdvertisementPayload(decoding: opened.plaintext),
            let port = ChannelPort(rawValue: UInt16(payload.port))
        else { return false }
        endpoints[opened.id] = PeerEndpoint(address: report.address, port: port)
        return true
    }

    /// The pairing that is to be settled next, and where; it counts as tried.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - known: where a trusted device was heard last.
    mutating func nextReconciliation(at now: Moment, _ known: [DeviceID: PeerEndpoint]) -> (
        record: PairingRecord, endpoint: PeerEndpoint
    )? {
        for record in records.unreconciled(at: now).reversed()
        where activeRequest?.abandoned.contains(record.id) ?? true {
            guard let endpoint = endpoints[record.id] ?? known[record.peer.id], isDue(record.id, at: now) else {
                continue
            }
            attempts[record.id, default: Attempts(last: now.uptime)].count += 1
            attempts[record.id]?.slot = now.slot
            attempts[record.id]?.last = now.uptime
            // Only who is heard anew is called again.
            endpoints[record.id] = nil
            return (record, endpoint)
        }
        return nil
    }

    private func isDue(_ id: PairingID, at now: Moment) -> Bool {
        guard let attempted = attempts[id] else { return true }
        guard now.uptime - attempted.last >= Self.retryDelay else { return false }
        return activeRequest != nil || now.uptime < effortEnd
            ? attempted.count < Self.maximumInitialAttempts : attempted.slot != now.slot
    }

    /// Makes what follows from the records anew.
    private mutating func derive(for identity: Identity) throws(HandoffError) {
        let unreconciled = records.all.filter { !$0.isReconciled }
        opener = unreconciled.isEmpty ? nil : AdvertisementOpener(keys: unreconciled.map { ($0.id, $0.settlingKey) })
        do {
            let candidates = records.all.map { ($0.peer.id, $0.peer.publicKey) }
            trial =
                candidates.isEmpty
                ? nil
                : try NoiseResponderTrial(localStatic: identity.keys.agreement, candidates: candidates)
        } catch {
            throw HandoffError(.invalidCard, error.message)
        }
    }
}
