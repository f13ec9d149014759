import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging

extension Engine {
    /// How long pairings are settled with all effort after a start.
    private static let effortAfterStart = Duration.seconds(30)

    /// What this device tells of itself when it pairs.
    var pairingSelf: PairingSelf {
        PairingSelf(
            name: DeviceName(sanitizing: card.name),
            publicKey: card.publicKey,
            advertisingKey: card.advertisingKey
        )
    }

    /// Takes in which pairings were not settled when the daemon ended.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged.
    func setPairings(_ file: PairingsFile) throws(HandoffError) {
        let loaded = try PairingState(file, for: identity)
        change { state, now in
            state.pairing = loaded
            state.pairing.effortEnd = now.uptime + Self.effortAfterStart
        }
        // The daemon may have ended between trusting a device and writing down that it is paired.
        for record in loaded.records.unconfirmed where read({ $0.devices[record.peer.id] != nil }) {
            try keep(record.standing(.paired))
        }
    }

    /// Keeps a pairing's advertisement on the air instead of any other, and listens for others', until
    /// ``endPairing()``.
    func beginPairing(
        _ token: PairingToken,
        at port: ChannelPort,
        hear: @escaping @Sendable (PairingToken, Place) -> Void,
        settled: @escaping @Sendable (PairingID) -> Void
    ) {
        guard let advertised = try? PairingAdvertisement(port: UInt8(truncatingIfNeeded: port.rawValue), token: token)
        else { preconditionFailure("a port of a channel can be advertised") }
        let advertisement = Advertisement(service: Self.pairingService, data: advertised.encode(), pace: .fast)
        change { state, _ in
            state.pairing.air = PairingState.Air(advertisement: advertisement, hear: hear, settled: settled)
        }
    }

    /// Settles a pairing if the other side waits for that, though a person's request is under way.
    func abandonPairing(_ id: PairingID) {
        change { state, _ in _ = state.pairing.air?.abandoned.insert(id) }
        sightings.set(())
    }

    /// Goes on with what was on the air before, or settles a pairing that is not settled.
    func endPairing() {
        change { state, now in
            state.pairing.air = nil
            state.pairing.effortEnd = now.uptime + PairingRecords.firstEffort
        }
        sightings.set(())
    }

    /// Writes down how a pairing stands.
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

    /// Trusts a device that was paired, and so is near.
    ///
    /// - Throws: ``HandoffError`` when it cannot be trusted or written down.
    func trust(_ peer: PairingPeer, _ key: AdvertisingKey) throws(HandoffError) {
        try trust(TrustedDevices.Device(name: peer.name, publicKey: peer.publicKey, advertisingKey: key))
        met(peer.id)
    }

    /// Forgets what is not settled with a device.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` when nothing is.
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

    /// Takes in an advertisement of a device that pairs; it means nothing unless this one does too.
    func heardPairing(_ sighting: Sighting) {
        guard sighting.service == Self.pairingService, let air = read({ $0.pairing.air }),
            let advertised = try? PairingAdvertisement(decoding: sighting.data),
            let port = ChannelPort(rawValue: UInt16(advertised.port))
        else { return }
        air.hear(advertised.token, Place(address: sighting.address, port: port))
    }

    /// Takes in an advertisement that no trusted device has sealed, or none whose clock is near this one's.
    func heardUnread(_ sighting: Sighting) {
        guard edit({ $0.pairing.heard(sighting, slot: Moment.now.slot) }) else { return compareClocks(sighting) }
        sightings.set(())
    }

    /// The pairing that is to be settled next, and where; it counts as tried.
    func nextSettling() -> (record: PairingRecord, place: Place)? {
        edit { state in
            guard state.isReady else { return nil }
            return state.pairing.nextSettling(at: .now, state.places)
        }
    }

    /// Settles nothing any more: the daemon stops.
    func stopSettling() {
        change { state, _ in state.pairing.isStopping = true }
    }

    /// What a device may ask for.
    enum Admission: Sendable {
        case settle(SettleRequest)
        /// Nothing yet: no pairing with it is settled.
        case unsettled
        /// Whatever trusted devices may.
        case other
    }

    /// What a device may ask for that has proved who it is.
    func admitted(_ request: Request?, from device: DeviceID) -> Admission {
        if case .settle(let request) = request { return .settle(request) }
        return read { $0.devices[device] != nil } ? .other : .unsettled
    }

    /// The answer to a device that asks how a pairing has ended.
    func answer(to request: SettleRequest, from device: DeviceID) -> Given {
        let key = pairingSelf.advertisingKey
        guard !read({ $0.pairing.isUndecided(request, from: device) }) else {
            return Given(answer: .refusal(Refusal(.busy, "The digits are still compared here.")), activity: nil)
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
            case .notPaired: .refusal(Refusal(.notPaired, "Nobody here has confirmed the pairing."))
            }
        return Given(answer: answer, activity: nil, settling: request)
    }

    /// Takes in that a device knows how a pairing has ended here, which only itself can have said.
    ///
    /// - Throws: ``HandoffError`` when it cannot be trusted or written down.
    func settle(_ given: Given, with device: DeviceID) throws(HandoffError) {
        guard let request = given.settling else { return }
        let (records, isTrusted) = read { ($0.pairing.records, $0.devices[device] != nil) }
        try apply(try records.settlement(of: request, from: device, isTrusted: isTrusted))
    }

    /// Takes in how a pairing has ended on the other side, which was asked.
    ///
    /// - Throws: ``HandoffError`` when it cannot be trusted or written down, or the answer makes no sense.
    func settle(_ record: PairingRecord, by answer: Answer) throws(HandoffError) {
        let verdict: PairingRecords.Verdict
        switch answer {
        case .settled(let bytes):
            guard let key = try? AdvertisingKey(rawRepresentation: bytes) else {
                throw HandoffError(.peerMisbehaved, "\(record.peer.name) sent an advertising key that is none.")
            }
            verdict = .paired(key)
        case .refusal(let refusal) where refusal.code == .notPaired: verdict = .notPaired
        default: throw HandoffError(.peerMisbehaved, "\(record.peer.name) did not say how the pairing has ended.")
        }
        let (records, isTrusted) = read { ($0.pairing.records, $0.devices[record.peer.id] != nil) }
        // It may have been settled in the other direction meanwhile.
        guard let current = records[record.id], !current.isSettled else { return }
        try apply(records.settlement(of: current, verdict, isTrusted: isTrusted))
    }

    private func apply(_ settlement: PairingRecords.Settlement) throws(HandoffError) {
        if let (peer, key) = settlement.newlyTrusted {
            try trust(peer, key)
        }
        guard let record = settlement.record else { return }
        let before = read { $0.pairing.records[record.id] }
        guard before != record else { return }
        try keep(record)
        if record.standing == .notPaired { read { $0.pairing.air }?.settled(record.id) }
        logger.info(
            record.standing == .paired ? "a pairing is settled" : "a pairing is settled: not paired",
            metadata: ["device": "\(record.peer.id)", "name": "\(record.peer.name)"]
        )
    }
}

extension Engine.State {
    /// What pairings want on the air instead of anything else, and when to ask again at the latest.
    mutating func pairingAdvertisement(at now: Moment) -> (advertisement: Advertisement?, next: Duration?) {
        guard isReady else { return (nil, nil) }
        if let air = pairing.air { return (air.advertisement, nil) }
        guard let port else { return (nil, nil) }
        return pairing.beacon(at: now, port: port)
    }
}
