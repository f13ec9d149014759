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
        /// Which of its pairings are decided.
        var pairings = ActivePairingRequest()
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
    /// The pause between windows of a scan for a device with which a pairing is unconfirmed.
    private static let rest = Duration.seconds(3)
    /// How long after a start pairings are reconciled with full effort.
    private static let effortAfterStart = Duration.seconds(30)

    var activeRequest: ActiveRequest?
    /// Whether the daemon is stopping, so that nothing is reconciled any more.
    var isStopping = false
    private(set) var records = PairingRecords()
    /// Authenticates the peers of all records; nil when there are none.
    private var trialOfAll: SessionTrial?
    private var identity: Identity
    /// The time until which pairings are reconciled with full effort.
    private var effortEnd: Duration
    /// The time until which the end of the user's last request is awaited; nil before the first one.
    private var requestEnd: Duration?
    private var opener: AdvertisementOpener<PairingID>?
    private var endpoints: [PairingID: PeerEndpoint] = [:]
    private var attempts: [PairingID: Attempts] = [:]
    private var sealed: Sealed?

    /// Creates the state at the start of the daemon, with the saved pairings.
    ///
    /// - Throws: ``HandoffError`` with `invalidCard` for an insecure public key.
    init(_ records: PairingRecords, for identity: Identity, at now: Moment) throws(HandoffError) {
        self.identity = identity
        effortEnd = now.uptime + Self.effortAfterStart
        try setRecords(records, for: identity)
    }

    /// Replaces the records, and everything that follows from them.
    ///
    /// - Throws: ``HandoffError`` with `invalidCard` for an insecure public key; then nothing has changed.
    mutating func setRecords(_ records: PairingRecords, for identity: Identity) throws(HandoffError) {
        guard records != self.records || identity.id != self.identity.id else { return }
        trialOfAll = try Self.trial(of: records, for: identity)
        self.identity = identity
        let keys = records.all.compactMap { record in record.settlingKey.map { (record.id, $0) } }
        opener = keys.isEmpty ? nil : AdvertisementOpener(keys: keys)
        self.records = records
    }

    /// Returns what authenticates the peers of `records`; nil when there are none.
    ///
    /// - Throws: ``HandoffError`` with `invalidCard` for an insecure public key.
    static func trial(
        of records: PairingRecords,
        for identity: Identity
    ) throws(HandoffError) -> SessionTrial? {
        guard !records.all.isEmpty else { return nil }
        do {
            return try SessionTrial(identity.keys, devices: records.all.map(\.peer.publicKeys))
        } catch {
            throw HandoffError(.invalidCard, error.message)
        }
    }

    /// Returns what authenticates the devices that may ask how a pairing ended, and nothing else; nil when there are none.
    func trial(at now: Moment) -> SessionTrial? {
        let devices = Set(records.unreconciled(at: now).map(\.peer.id))
        return devices.isEmpty ? nil : trialOfAll?.filtered(devices.contains)
    }

    /// Ends the user's request: its pairings are reconciled with full effort from now on.
    mutating func endRequest(at now: Moment) {
        activeRequest = nil
        effortEnd = now.uptime + PairingRecords.initialEffortDuration
        requestEnd = effortEnd
    }

    /// Whether the user pairs this device, or has just done so and both devices find out how it ended.
    func isRequested(at now: Moment) -> Bool { activeRequest != nil || requestEnd.map { now.uptime < $0 } ?? false }

    /// The service UUIDs to scan for.
    var services: Set<BluetoothUUID> {
        activeRequest == nil ? [Engine.service] : [Engine.service, Engine.pairingService]
    }

    /// Returns the scan effort for pairings; nil when pairings need none.
    func effort(at now: Moment) -> ScanPolicy.Effort? {
        if activeRequest != nil { return .continuous }
        guard !records.toAsk(at: now, effortUntil: effortEnd).isEmpty else { return nil }
        return now.uptime < effortEnd ? .continuous : .windows(rest: Self.rest)
    }

    /// Returns the advertisement for pairings, which takes precedence over any other, and the time until it may change.
    mutating func advertisement(
        at now: Moment,
        _ radio: OwnRadio
    ) -> (advertisement: Advertisement?, next: Duration?) {
        guard radio.isReady else { return (nil, nil) }
        if let activeRequest { return (activeRequest.advertisement, nil) }
        guard let port = radio.port else { return (nil, nil) }
        return reconciliationAdvertisement(at: now, port: port)
    }

    /// Returns the sealed advertisement of the pairing that is to be reconciled, and the time until it may change.
    private mutating func reconciliationAdvertisement(at now: Moment, port: LEPSM) -> (
        advertisement: Advertisement?, next: Duration?
    ) {
        guard !isStopping else { return (nil, nil) }
        let (record, change) = records.recordToAdvertise(at: now, effortUntil: effortEnd)
        let next = [change, records.effortChange(at: now, effortUntil: effortEnd)].compactMap(\.self).min()
        guard let record, let key = record.settlingKey else { return (nil, next) }
        if let sealed, sealed.id == record.id, sealed.slot == now.slot, sealed.port == port {
            return (sealed.advertisement, next)
        }
        let sealer = AdvertisementSealer(key: key, slot: now.slot)
        let number = AdvertisementNumber(slot: now.slot, lowNineBits: 0)
        let payload = AdvertisementPayload(hasWebpage: false, port: port, typeHash: nil, number: number).encode()
        let advertisement = Advertisement(service: Engine.service, data: sealer.seal(payload), pace: .fast)
        sealed = Sealed(id: record.id, slot: now.slot, port: port, advertisement: advertisement)
        return (advertisement, next)
    }

    /// Handles an advertisement that no trusted device has sealed; returns whether it names an endpoint for a
    /// reconciliation.
    mutating func receive(_ report: AdvertisementReport, slot: UInt64) -> Bool {
        guard let opened = opener?.open(report.data, slot: slot),
            let payload = try? AdvertisementPayload(decoding: opened.plaintext, slot: slot)
        else { return false }
        endpoints[opened.id] = PeerEndpoint(address: report.address, port: payload.port)
        return true
    }

    /// Returns the endpoint at which the peer of a pairing was heard since it was dialled last, once.
    mutating func takeEndpoint(of id: PairingID) -> PeerEndpoint? { endpoints.removeValue(forKey: id) }

    /// Returns the next pairing to reconcile, and its peer's endpoint; counts it as tried.
    ///
    /// - Parameters:
    ///   - now: the present moment.
    ///   - known: the endpoints at which trusted devices were heard last.
    mutating func nextReconciliation(at now: Moment, _ known: [DeviceID: PeerEndpoint]) -> (
        record: PairingRecord, endpoint: PeerEndpoint
    )? {
        for record in records.toAsk(at: now, effortUntil: effortEnd, during: activeRequest?.pairings).reversed() {
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
}
