import AsyncSupport
import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging

extension Engine {
    /// The pairings of this device.
    var pairings: EnginePairings { EnginePairings(engine: self) }

    /// Learns of other pairing devices, while the user's pairing request is active.
    struct PairingListener: Sendable {
        /// Called with each pairing device that is heard, and its endpoint.
        let onAdvertisement: @Sendable (PairingToken, PeerEndpoint) -> Void
        /// Called with each abandoned pairing that was reconciled.
        let onReconciled: @Sendable (PairingID) -> Void
    }
}

/// The user's pairing request, and the pairings whose outcome one of the two devices may not know.
struct EnginePairings: Sendable {
    let engine: Engine

    /// What this device sends about itself when it pairs: with a new advertising key, which it uses once it trusts the
    /// other device, so that the other device reads nothing of before.
    func newLocalIdentity() -> LocalIdentity {
        let devices = engine.read(\.trust.devices)
        return LocalIdentity(devices.identity.keys, name: devices.ownName, advertisingKey: devices.newKey())
    }

    // MARK: The user's request

    /// Advertises a pairing request instead of anything else, and scans for those of others, until ``end()``.
    func begin(_ token: PairingToken, at port: LEPSM, _ listener: Engine.PairingListener) {
        let advertised = PairingAdvertisement(port: port, token: token)
        let advertisement = Advertisement(service: Engine.pairingService, data: advertised.encode(), pace: .fast)
        engine.pairingListener.set(listener)
        engine.change { state, _ in
            state.pairing.activeRequest = PairingState.ActiveRequest(advertisement: advertisement)
        }
    }

    /// Allows a pairing of the active request to be reconciled, because the peer waits for it.
    func abandon(_ id: PairingID) {
        engine.change { state, _ in state.pairing.activeRequest?.pairings.abandon(id) }
        engine.deviceUpdates.set(())
    }

    /// Resumes the previous advertisement, or starts to reconcile unconfirmed pairings.
    func end() {
        engine.pairingListener.set(nil)
        engine.change { state, now in state.pairing.endRequest(at: now) }
        engine.deviceUpdates.set(())
    }

    /// Handles the advertisement of a pairing device; ignored unless this device is pairing, too.
    func receiveAdvertisement(_ report: AdvertisementReport) {
        guard report.service == Engine.pairingService, let listener = engine.pairingListener.value,
            let advertised = try? PairingAdvertisement(decoding: report.data)
        else { return }
        listener.onAdvertisement(advertised.token, PeerEndpoint(address: report.address, port: advertised.port))
    }

    // MARK: Records

    /// Saves the state of a pairing.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`, or with `ownCard`, `invalidCard`, `deviceRemoved` or `limitReached`
    ///   for a device that cannot be trusted; then nothing has changed.
    func keep(_ record: PairingRecord) async throws {
        let identity = engine.identity
        guard record.peer.id != identity.id else {
            throw HandoffError(.ownCard, "The other device has the keys of this one: one is a copy of the other.")
        }
        if record.status != .paired, engine.read(\.kept.pairings)[record.id] == nil {
            // A confirmation tells a new key. That key is noted by now, in a file of its own, so that the confirmation
            // itself needs only the record: one file, which is replaced or not.
            try await engine.persist { $0.devices.reserveKeyNumber() }
        }
        try await engine.persist { kept throws(HandoffError) in
            // Found out before the user compares anything: whoever has confirmed must be able to trust.
            var trusting = kept.devices
            if record.status != .paired { try trusting.insert(record.peer) }
            kept.pairings.forgetExpired(at: .now)
            kept.pairings.keep(record)
            _ = try PairingState.trial(of: kept.pairings, for: identity)
        }
        engine.pairingUpdates.set(())
    }

    /// Trusts a device that was paired and is therefore nearby.
    ///
    /// - Parameters:
    ///   - peer: the device.
    ///   - key: its advertising key.
    ///   - toldKey: the new advertising key of this device that was told to it.
    /// - Throws: ``HandoffError`` when it cannot be trusted or saved.
    func trust(_ peer: DeviceIdentity, _ key: AdvertisingKeyRecord, toldKey: AdvertisingKeyRecord?) async throws {
        try await engine.trust.add(peer, key: key, toldKey: toldKey)
        engine.trust.recordContact(with: peer.id)
    }

    /// Makes the records consistent with the trusted devices: the daemon may have ended after it has written only these.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`.
    func recover() async throws {
        try await engine.persist { kept in
            let devices = kept.devices
            kept.pairings.recover { devices[$0] != nil }
        }
    }

    /// Forgets the unconfirmed pairings with a device.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` when there is none, or `stateUnwritable`.
    func forget(_ device: DeviceID) async throws {
        try await engine.persist { kept throws(HandoffError) in
            guard kept.pairings.unconfirmed.contains(where: { $0.peer.id == device }) else {
                throw HandoffError(
                    .unknownDevice,
                    "No pairing with \(device) is unconfirmed; see `handoffctl devices`."
                )
            }
            kept.pairings.forget(device)
        }
        engine.pairingUpdates.set(())
    }

    // MARK: Reconciliation

    /// Returns the next pairing to reconcile, and its peer; counts it as tried.
    func nextReconciliation() -> (record: PairingRecord, peer: SessionPeer)? {
        let next: (record: PairingRecord, endpoint: PeerEndpoint)? = engine.edit { state in
            let now = Moment.now
            guard state.radio.isReady, state.isPairingAllowed(at: now) else { return nil }
            return state.pairing.nextReconciliation(at: now, state.sessions.endpoints)
        }
        return next.map { ($0.record, engine.sessions.peer(of: $0.record, at: $0.endpoint)) }
    }

    /// Stops reconciling, because the daemon stops.
    func stopReconciling() {
        engine.change { state, _ in state.pairing.isStopping = true }
    }

    /// Returns the answer to a device that asks how a pairing ended.
    func answer(to request: SettleRequest, from device: DeviceID) -> EngineSessions.PreparedAnswer {
        let (verdict, key) = engine.read { state in
            let isTrusted = state.trust.devices[device] != nil
            // A trusted device uses the key that it is told from now on: it has to be the one in use.
            let key = isTrusted ? state.trust.devices.ownKey : state.trust.devices.newKey()
            let verdict = state.pairing.records.verdict(
                on: request,
                from: device,
                isTrusted: isTrusted,
                during: state.pairing.activeRequest?.pairings,
                key
            )
            return (verdict, key)
        }
        let answer: Answer
        switch verdict {
        case .paired where !canTrust(device, askingFor: request):
            return .refusal(.busy, "This device cannot trust any more devices now.")
        case .undecided: return .refusal(.busy, "The digits are still being compared here.")
        case .paired(let key): answer = .settled(advertisingKey: key.rawRepresentation)
        case .notPaired: answer = .refusal(Refusal(.notPaired, "The pairing was not confirmed here."))
        }
        let outcome = EngineSessions.PairingOutcome(request: request, verdict: verdict, toldKey: key)
        return EngineSessions.PreparedAnswer(answer: answer, activity: nil, outcome: outcome)
    }

    /// Whether a device could be trusted now; otherwise it must not learn that the two are paired.
    private func canTrust(_ device: DeviceID, askingFor request: SettleRequest) -> Bool {
        engine.read { state in
            guard state.trust.devices[device] == nil,
                let record = state.pairing.records.record(of: request, from: device)
            else { return true }
            var devices = state.trust.devices
            return (try? devices.insert(record.peer)) != nil
        }
    }

    /// Saves how a pairing has ended, once a device has acknowledged the answer that it was told.
    ///
    /// - Parameters:
    ///   - outcome: what the device was told, and what it had asked.
    ///   - device: the device.
    ///   - key: its advertising key, from its acknowledgement; nil when it has told none.
    /// - Throws: ``HandoffError`` with `peerMisbehaved` for an invalid key, or when the device cannot be trusted or saved.
    func reconcile(_ outcome: EngineSessions.PairingOutcome, with device: DeviceID, key: [UInt8]?) async throws {
        try await apply(toldKey: outcome.toldKey) { kept throws(HandoffError) in
            try kept.pairings.reconciliation(
                of: outcome.request,
                from: device,
                outcome.verdict,
                isTrusted: kept.devices[device] != nil,
                key: key
            )
        }
    }

    /// Returns the key of this device that the acknowledgement of an answer tells a device with which it is paired; nil
    /// for any other answer, and when the device was removed meanwhile.
    func keyToTell(after answer: Answer, to device: DeviceID) -> [UInt8]? {
        guard case .settled = answer else { return nil }
        return engine.read { state in
            state.trust.devices[device].map { _ in state.trust.devices.ownKey.rawRepresentation }
        }
    }

    /// Saves the peer's answer to the question how a pairing ended.
    ///
    /// - Parameter toldKey: the new advertising key of this device that was told to it.
    /// - Throws: ``HandoffError`` when it cannot be trusted or saved, or the answer is invalid.
    func reconcile(_ record: PairingRecord, by answer: Answer, toldKey: AdvertisingKeyRecord) async throws {
        let verdict: PairingRecords.Verdict
        switch answer {
        case .settled(let bytes):
            guard let key = try? AdvertisingKeyRecord(rawRepresentation: bytes) else {
                throw HandoffError(.peerMisbehaved, "\(record.peer.name) sent an invalid advertising key.")
            }
            verdict = .paired(key)
        case .refusal(let refusal) where refusal.code == .notPaired: verdict = .notPaired
        case .refusal(let refusal): throw HandoffError.refused(refusal, by: record.peer.name.rawValue)
        default: throw HandoffError(.peerMisbehaved, "\(record.peer.name) did not report how the pairing ended.")
        }
        try await apply(toldKey: toldKey) { kept in
            let isTrusted = kept.devices[record.peer.id] != nil
            return kept.pairings.reconciliation(of: record, verdict, isTrusted: isTrusted)
        }
        // The peer had confirmed, and waits no more for a device that is pairing.
        if record.status == .notPaired { engine.pairingListener.value?.onReconciled(record.id) }
    }

    /// Saves that the peer has saved how a pairing has ended: nobody asks about it any more.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then this device asks again.
    func conclude(_ record: PairingRecord) async throws {
        try await apply(toldKey: nil) { $0.pairings.concluded(record) }
    }

    /// Makes the consequences of a reconciliation, which is decided by what is kept at that moment, in one step.
    private func apply(
        toldKey: AdvertisingKeyRecord?,
        _ decide: @Sendable (KeptState) throws(HandoffError) -> PairingRecords.Reconciliation
    ) async throws {
        let (record, added) = try await engine.trust.change { kept throws(HandoffError) in
            let before = kept.pairings
            let reconciliation = try decide(kept)
            if let addition = reconciliation.newlyTrusted {
                try EngineTrust.insert(addition.peer, key: addition.key, toldKey: toldKey, into: &kept)
            }
            let added = reconciliation.newlyTrusted?.peer.id
            guard let record = reconciliation.record, kept.pairings[record.id] != record else {
                return (PairingRecord?.none, added)
            }
            kept.pairings.keep(record)
            return (before[record.id]?.status == record.status ? nil : record, added)
        }
        if let added { engine.trust.recordContact(with: added) }
        engine.pairingUpdates.set(())
        guard let record else { return }
        if record.status == .notPaired { engine.pairingListener.value?.onReconciled(record.id) }
        engine.logger.info(
            record.status == .paired ? "a pairing was reconciled" : "a pairing was reconciled: not paired",
            metadata: [
                "event": "pairing.settled", "device": "\(record.peer.id)", "name": "\(record.peer.name)",
            ]
        )
    }
}
