import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging

extension Engine {
    /// How long after a start pairings are reconciled with full effort.
    private static let effortAfterStart = Duration.seconds(30)

    /// What this device sends about itself when it pairs.
    var localIdentity: LocalIdentity {
        LocalIdentity(
            DeviceIdentity(publicKey: card.publicKey, name: DeviceName(sanitizing: card.name)),
            advertisingKey: card.advertisingKey
        )
    }

    /// Loads the pairings that were not reconciled when the daemon ended.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged.
    func setPairings(_ file: PairingsFile) throws(HandoffError) {
        let loaded = try PairingState(file, for: identity)
        change { state, now in
            state.pairing = loaded
            state.pairing.effortEnd = now.uptime + Self.effortAfterStart
        }
        // The daemon may have ended between trusting a device and saving that it is paired.
        for record in loaded.records.unconfirmed where read({ $0.devices[record.peer.id] != nil }) {
            try keep(record.withStatus(.paired))
        }
    }

    /// Advertises a pairing request instead of anything else, and scans for those of others, until ``endPairing()``.
    func beginPairing(
        _ token: PairingToken,
        at port: ChannelPort,
        onAdvertisement: @escaping @Sendable (PairingToken, PeerEndpoint) -> Void,
        onReconciled: @escaping @Sendable (PairingID) -> Void
    ) {
        guard let advertised = try? PairingAdvertisement(port: UInt8(truncatingIfNeeded: port.rawValue), token: token)
        else { preconditionFailure("a port of a channel can be advertised") }
        let advertisement = Advertisement(service: Self.pairingService, data: advertised.encode(), pace: .fast)
        change { state, _ in
            state.pairing.activeRequest = PairingState.ActiveRequest(
                advertisement: advertisement,
                onAdvertisement: onAdvertisement,
                onReconciled: onReconciled
            )
        }
    }

    /// Allows a pairing of the active request to be reconciled, because the peer waits for it.
    func abandonPairing(_ id: PairingID) {
        change { state, _ in _ = state.pairing.activeRequest?.abandoned.insert(id) }
        deviceUpdates.set(())
    }

    /// Resumes the previous advertisement, or starts to reconcile unconfirmed pairings.
    func endPairing() {
        change { state, now in
            state.pairing.activeRequest = nil
            state.pairing.effortEnd = now.uptime + PairingRecords.initialEffortDuration
        }
        deviceUpdates.set(())
    }

    /// Saves the state of a pairing.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable` or `invalidCard`; then nothing has changed.
    func keep(_ record: PairingRecord) throws(HandoffError) {
        guard record.peer.id != identity.id else {
            throw HandoffError(.ownCard, "The other device has the keys of this one: one is a copy of the other.")
        }
        try change { state, _ throws(HandoffError) in
            let before = state.pairing.records.unconfirmed
            try state.pairing.keep(record, for: identity)
            if before != state.pairing.records.unconfirmed { state.outbox.append(.pairingsChanged) }
        }
        pairings.set(())
    }

    /// Trusts a device that was paired and is therefore nearby.
    ///
    /// - Throws: ``HandoffError`` when it cannot be trusted or saved.
    func trust(_ peer: DeviceIdentity, _ key: AdvertisingKey) throws(HandoffError) {
        try trust(TrustedDevices.Device(name: peer.name, publicKey: peer.publicKey, advertisingKey: key))
        recordContact(with: peer.id)
    }

    /// Forgets the unconfirmed pairings with a device.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` when there is none.
    func forgetPairings(with device: DeviceID) throws(HandoffError) {
        try change { state, _ throws(HandoffError) in
            guard state.pairing.records.unconfirmed.contains(where: { $0.peer.id == device }) else {
                throw HandoffError(
                    .unknownDevice,
                    "No pairing with \(device) is unconfirmed; see `handoffctl devices`."
                )
            }
            state.pairing.forget(device, for: identity)
            state.outbox.append(.pairingsChanged)
        }
        pairings.set(())
    }

    /// Handles the advertisement of a pairing device; ignored unless this device is pairing, too.
    func receivePairingAdvertisement(_ report: AdvertisementReport) {
        guard report.service == Self.pairingService, let activeRequest = read({ $0.pairing.activeRequest }),
            let advertised = try? PairingAdvertisement(decoding: report.data),
            let port = ChannelPort(rawValue: UInt16(advertised.port))
        else { return }
        activeRequest.onAdvertisement(advertised.token, PeerEndpoint(address: report.address, port: port))
    }

    /// Handles an advertisement that no trusted device has sealed, or only one whose clock is far off.
    func receiveUnopened(_ report: AdvertisementReport) {
        guard edit({ $0.pairing.receive(report, slot: Moment.now.slot) }) else { return checkClockSkew(report) }
        deviceUpdates.set(())
    }

    /// Returns the next pairing to reconcile, and its peer's endpoint; counts it as tried.
    func nextReconciliation() -> (record: PairingRecord, endpoint: PeerEndpoint)? {
        edit { state in
            guard state.isReady else { return nil }
            return state.pairing.nextReconciliation(at: .now, state.endpoints)
        }
    }

    /// Stops reconciling, because the daemon stops.
    func stopReconciling() {
        change { state, _ in state.pairing.isStopping = true }
    }

    /// The requests that a device may send.
    enum Authorization: Sendable {
        case settle(SettleRequest)
        /// None yet: the pairing with it is not reconciled.
        case unreconciled
        /// Everything that trusted devices may request.
        case other
    }

    /// Returns the requests that an authenticated device may send.
    func authorize(_ request: Request?, from device: DeviceID) -> Authorization {
        if case .settle(let request) = request { return .settle(request) }
        return read { $0.devices[device] != nil } ? .other : .unreconciled
    }

    /// Returns the answer to a device that asks how a pairing ended.
    func answer(to request: SettleRequest, from device: DeviceID) -> PreparedAnswer {
        let key = localIdentity.advertisingKey
        guard !read({ $0.pairing.isUndecided(request, from: device) }) else {
            return PreparedAnswer(
                answer: .refusal(Refusal(.busy, "The digits are still being compared here.")),
                activity: nil
            )
        }
        let verdict = read { state in
            state.pairing.records.verdict(
                on: request,
                from: device,
                isTrusted: state.devices[device] != nil,
                key
            )
        }
        let answer: Answer =
            switch verdict {
            case .paired(let key): .settled(advertisingKey: key.rawRepresentation)
            case .notPaired: .refusal(Refusal(.notPaired, "The pairing was not confirmed here."))
            }
        return PreparedAnswer(answer: answer, activity: nil, reconciliation: request)
    }

    /// Records that a device knows how a pairing ended here; its acknowledgement proves that it is that device.
    ///
    /// - Throws: ``HandoffError`` when it cannot be trusted or saved.
    func reconcile(_ prepared: PreparedAnswer, with device: DeviceID) throws(HandoffError) {
        guard let request = prepared.reconciliation else { return }
        let (records, isTrusted) = read { ($0.pairing.records, $0.devices[device] != nil) }
        try apply(try records.reconciliation(of: request, from: device, isTrusted: isTrusted))
    }

    /// Records the peer's answer to the question how a pairing ended.
    ///
    /// - Throws: ``HandoffError`` when it cannot be trusted or saved, or the answer is invalid.
    func reconcile(_ record: PairingRecord, by answer: Answer) throws(HandoffError) {
        let verdict: PairingRecords.Verdict
        switch answer {
        case .settled(let bytes):
            guard let key = try? AdvertisingKey(rawRepresentation: bytes) else {
                throw HandoffError(.peerMisbehaved, "\(record.peer.name) sent an invalid advertising key.")
            }
            verdict = .paired(key)
        case .refusal(let refusal) where refusal.code == .notPaired: verdict = .notPaired
        default: throw HandoffError(.peerMisbehaved, "\(record.peer.name) did not report how the pairing ended.")
        }
        let (records, isTrusted) = read { ($0.pairing.records, $0.devices[record.peer.id] != nil) }
        // The peer may have reconciled it in the other direction in the meantime.
        guard let current = records[record.id], !current.isReconciled else { return }
        try apply(records.reconciliation(of: current, verdict, isTrusted: isTrusted))
    }

    private func apply(_ reconciliation: PairingRecords.Reconciliation) throws(HandoffError) {
        if let (peer, key) = reconciliation.newlyTrusted {
            try trust(peer, key)
        }
        guard let record = reconciliation.record else { return }
        let before = read { $0.pairing.records[record.id] }
        guard before != record else { return }
        try keep(record)
        if record.status == .notPaired { read { $0.pairing.activeRequest }?.onReconciled(record.id) }
        logger.info(
            record.status == .paired ? "a pairing was reconciled" : "a pairing was reconciled: not paired",
            metadata: [
                "event": "pairing.settled", "device": "\(record.peer.id)", "name": "\(record.peer.name)",
            ]
        )
    }
}

extension Engine.State {
    /// Returns the advertisement for pairings, which takes precedence over any other, and the time until it may change.
    mutating func pairingAdvertisement(at now: Moment) -> (advertisement: Advertisement?, next: Duration?) {
        guard isReady else { return (nil, nil) }
        if let activeRequest = pairing.activeRequest { return (activeRequest.advertisement, nil) }
        guard let port else { return (nil, nil) }
        return pairing.beacon(at: now, port: port)
    }
}
