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

    private var identity: Identity { engine.identity }

    /// What this device sends about itself when it pairs.
    var localIdentity: LocalIdentity {
        let card = engine.trust.card
        return LocalIdentity(
            DeviceIdentity(publicKey: card.publicKey, name: engine.trust.name),
            advertisingKey: card.advertisingKey
        )
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
        engine.change { state, _ in _ = state.pairing.activeRequest?.abandoned.insert(id) }
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
    /// - Throws: ``HandoffError`` with `stateUnwritable`, `ownCard` or `invalidCard`; then nothing has changed.
    func keep(_ record: PairingRecord) async throws {
        guard record.peer.id != identity.id else {
            throw HandoffError(.ownCard, "The other device has the keys of this one: one is a copy of the other.")
        }
        let identity = identity
        try await engine.persist { kept throws(HandoffError) in
            kept.pairings.keep(record)
            _ = try PairingState.trial(of: kept.pairings, for: identity)
        }
        engine.pairingUpdates.set(())
    }

    /// Trusts a device that was paired and is therefore nearby.
    ///
    /// - Throws: ``HandoffError`` when it cannot be trusted or saved.
    func trust(_ peer: DeviceIdentity, _ key: AdvertisingKey) async throws {
        let device = TrustedDevices.Device(name: peer.name, publicKey: peer.publicKey, advertisingKey: key)
        try await engine.trust.add(device)
        engine.trust.recordContact(with: peer.id)
    }

    /// Records the outcome of pairings whose device is trusted: the daemon may have ended between the two.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`.
    func confirmTrusted() async throws {
        try await engine.persist { kept in
            for record in kept.pairings.unconfirmed where kept.devices[record.peer.id] != nil {
                kept.pairings.markPaired(record.peer.id)
            }
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
        let next = engine.edit { state in
            state.radio.isReady ? state.pairing.nextReconciliation(at: .now, state.sessions.endpoints) : nil
        }
        return next.map { ($0.record, engine.sessions.peer(of: $0.record, at: $0.endpoint)) }
    }

    /// Stops reconciling, because the daemon stops.
    func stopReconciling() {
        engine.change { state, _ in state.pairing.isStopping = true }
    }

    /// Returns the answer to a device that asks how a pairing ended.
    func answer(to request: SettleRequest, from device: DeviceID) -> EngineSessions.PreparedAnswer {
        guard !engine.read({ $0.pairing.isUndecided(request, from: device) }) else {
            return .refusal(.busy, "The digits are still being compared here.")
        }
        let key = localIdentity.advertisingKey
        let verdict = engine.read { state in
            state.pairing.records.verdict(
                on: request,
                from: device,
                isTrusted: state.trust.devices[device] != nil,
                key
            )
        }
        let answer: Answer =
            switch verdict {
            case .paired(let key): .settled(advertisingKey: key.rawRepresentation)
            case .notPaired: .refusal(Refusal(.notPaired, "The pairing was not confirmed here."))
            }
        return EngineSessions.PreparedAnswer(answer: answer, activity: nil, outcome: request)
    }

    /// Records that a device knows how a pairing ended here; its acknowledgement proves that it does.
    ///
    /// - Throws: ``HandoffError`` when it cannot be trusted or saved.
    func reconcile(_ request: SettleRequest, with device: DeviceID) async throws {
        try await apply { kept throws(HandoffError) in
            try kept.pairings.reconciliation(of: request, from: device, isTrusted: kept.devices[device] != nil)
        }
    }

    /// Records the peer's answer to the question how a pairing ended.
    ///
    /// - Throws: ``HandoffError`` when it cannot be trusted or saved, or the answer is invalid.
    func reconcile(_ record: PairingRecord, by answer: Answer) async throws {
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
        try await apply { kept in
            // The peer may have reconciled it in the other direction in the meantime.
            guard let current = kept.pairings[record.id], !current.isReconciled else { return nil }
            let isTrusted = kept.devices[record.peer.id] != nil
            return kept.pairings.reconciliation(of: current, verdict, isTrusted: isTrusted)
        }
    }

    /// Makes the consequences of a reconciliation, which is decided by what is kept at that moment, in one step.
    private func apply(
        _ decide: @Sendable (KeptState) throws(HandoffError) -> PairingRecords.Reconciliation?
    ) async throws {
        let identity = identity
        let (record, added) = try await engine.persist { kept throws(HandoffError) in
            let reconciliation = try decide(kept)
            let added = try reconciliation?.newlyTrusted.map { peer, key throws(HandoffError) in
                let device = TrustedDevices.Device(name: peer.name, publicKey: peer.publicKey, advertisingKey: key)
                return (device, isKnown: try EngineTrust.insert(device, into: &kept, for: identity))
            }
            guard let record = reconciliation?.record, kept.pairings[record.id] != record else {
                return (PairingRecord?.none, added)
            }
            kept.pairings.keep(record)
            return (record, added)
        } then: { state, result in
            if let (device, isKnown) = result.1 { state.show(isKnown ? .deviceChanged(device) : .deviceAdded(device)) }
        }
        if let (device, _) = added { engine.trust.recordContact(with: device.id) }
        guard let record else { return }
        engine.pairingUpdates.set(())
        if record.status == .notPaired { engine.pairingListener.value?.onReconciled(record.id) }
        engine.logger.info(
            record.status == .paired ? "a pairing was reconciled" : "a pairing was reconciled: not paired",
            metadata: [
                "event": "pairing.settled", "device": "\(record.peer.id)", "name": "\(record.peer.name)",
            ]
        )
    }
}
