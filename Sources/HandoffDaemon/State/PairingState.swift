import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire

/// The engine's state of pairings: the user's active request, and the pairings that are not reconciled.
struct PairingState: Sendable {
    /// The engine's part of the user's active pairing request.
    struct ActiveRequest: Sendable {
        let advertisement: Advertisement
        /// Called with each pairing device that is heard, and its endpoint.
        let onAdvertisement: @Sendable (PairingToken, PeerEndpoint) -> Void
        /// Called with each of ``abandoned`` that was reconciled.
        let onReconciled: @Sendable (PairingID) -> Void
        /// The pairings of this request for which this side sends nothing more.
        var abandoned: Set<PairingID> = []
    }

    /// The attempts to reconcile a pairing.
    private struct Attempts: Sendable {
        var count = 0
        var slot: UInt64 = 0
        var last: Duration
    }

    private struct Sealed: Sendable {
        let id: PairingID
        let slot: UInt64
        let port: LEPSM
        let advertisement: Advertisement
    }

    /// The number of attempts to reconcile a pairing with full effort.
    private static let maximumInitialAttempts = 6
    /// The time between two attempts.
    private static let retryDelay = Duration.seconds(3)

    var activeRequest: ActiveRequest?
    /// Whether the daemon is stopping, so that nothing is reconciled any more.
    var isStopping = false
    private(set) var records = PairingRecords()
    /// Authenticates the devices that may send reconciliation requests only; nil when there are none.
    private(set) var trial: NoiseResponderTrial<DeviceID>?
    /// The time until which pairings are reconciled with full effort.
    var effortEnd = Duration.zero
    private var file: PairingsFile?
    private var opener: AdvertisementOpener<PairingID>?
    private var endpoints: [PairingID: PeerEndpoint] = [:]
    private var attempts: [PairingID: Attempts] = [:]
    private var sealed: Sealed?

    init() {}

    /// Loads the saved pairings.
    init(_ file: PairingsFile, for identity: Identity) throws(HandoffError) {
        self.file = file
        records = try file.read()
        try derive(for: identity)
    }

    /// Saves a pairing or its changed status.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`, or `invalidCard` for an insecure public key; then nothing has
    ///   changed.
    mutating func keep(_ record: PairingRecord, for identity: Identity) throws(HandoffError) {
        var draft = self
        draft.records.keep(record)
        try draft.derive(for: identity)
        try file?.write(draft.records)
        self = draft
    }

    /// Records that a device is trusted, in whatever way; returns whether a pairing with it was unconfirmed.
    mutating func trusted(_ device: DeviceID) -> Bool {
        let open = records.unconfirmed.filter { $0.peer.id == device }
        for record in open { records.keep(record.withStatus(.paired)) }
        return !open.isEmpty
    }

    /// Forgets all pairings with a device; if this cannot be saved, they are forgotten until the next start only.
    mutating func forget(_ device: DeviceID, for identity: Identity) {
        guard records.all.contains(where: { $0.peer.id == device }) else { return }
        records.forget(device)
        try? derive(for: identity)
        try? file?.write(records)
    }

    /// The service UUIDs to scan for.
    var services: Set<BluetoothUUID> {
        activeRequest == nil ? [Engine.service] : [Engine.service, Engine.pairingService]
    }

    /// Whether a device asks about a pairing that the user here may still confirm.
    func isUndecided(_ request: SettleRequest, from device: DeviceID) -> Bool {
        guard let activeRequest, let record = records.record(of: request, from: device) else { return false }
        return record.status == .notPaired && !record.isReconciled && !activeRequest.abandoned.contains(record.id)
    }

    /// Returns the scan effort for pairings; nil when pairings need none.
    func effort(at now: Moment) -> Engine.ScanningPlan.Effort? {
        if activeRequest != nil { return .continuous }
        guard !records.unreconciled(at: now).isEmpty else { return nil }
        return now.uptime < effortEnd ? .continuous : .dutyCycled
    }

    /// Returns the sealed advertisement of the pairing that is to be reconciled, and the time until it may change.
    mutating func beacon(at now: Moment, port: LEPSM) -> (advertisement: Advertisement?, next: Duration?) {
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

    /// Handles an advertisement that no trusted device has sealed; returns whether it names an endpoint for a
    /// reconciliation.
    mutating func receive(_ report: AdvertisementReport, slot: UInt64) -> Bool {
        guard let opened = opener?.open(report.data, slot: slot),
            let payload = try? AdvertisementPayload(decoding: opened.plaintext)
        else { return false }
        endpoints[opened.id] = PeerEndpoint(address: report.address, port: payload.port)
        return true
    }

    /// Returns the next pairing to reconcile, and its peer's endpoint; counts it as tried.
    ///
    /// - Parameters:
    ///   - now: the present moment.
    ///   - known: the endpoints at which trusted devices were heard last.
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
            // A peer is dialled again only after it was heard again.
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

    /// Recomputes what is derived from the records.
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
