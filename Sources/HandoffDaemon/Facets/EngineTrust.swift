import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import Logging

extension Engine {
    /// The devices that trust one another.
    var trust: EngineTrust { EngineTrust(engine: self) }
}

/// The circle of this device: who belongs to it, and how that changes.
struct EngineTrust: Sendable {
    let engine: Engine

    // MARK: What is known

    /// The name of this device in the circle.
    var name: DeviceName { engine.read(\.trust.devices.ownName) }

    /// The card with which another device can trust this one.
    var card: CardText {
        guard let card = try? engine.read(\.trust).card else { preconditionFailure("a device's name fits a card") }
        return card
    }

    /// Returns what this device tells a trusted device about the circle and its keys; without the statements when the
    /// other device's have that digest.
    ///
    /// - Throws: ``HandoffError`` with `notTrusted` if it is not trusted (any more).
    func message(for device: DeviceID, knowing digest: [UInt8]?) throws(HandoffError) -> CircleMessage {
        let message = engine.read { $0.trust.devices.message(for: device, knowing: digest) }
        guard let message else { throw Self.removedMeanwhile }
        return message
    }

    private static let removedMeanwhile = HandoffError(.notTrusted, "The device was removed during the session.")

    /// The circle digest, by which two devices find out whether they know the same state.
    var circleDigest: [UInt8] { engine.read(\.trust.devices.digest) }

    /// Returns a trusted device; nil when it is not trusted.
    func device(_ id: DeviceID) -> TrustedDevices.Device? { engine.read { $0.trust.devices[id] } }

    /// The known devices about which the person at this device has to decide.
    var questions: [Member] { engine.read(\.trust.devices.questions) }

    /// Returns a known device, whether it is trusted or not.
    func member(_ id: DeviceID) -> Member? { engine.read { $0.trust.devices.contents.circle[id] } }

    /// Returns which trusted devices would go with a device if it were removed, and which known ones it has removed.
    func consequences(ofRemoving id: DeviceID) -> (orphans: [Member], removed: [Member]) {
        engine.read { state in
            let circle = state.trust.devices.contents.circle
            return (
                circle.orphans(without: id).compactMap { circle[$0] }, circle.removals(by: id).compactMap { circle[$0] }
            )
        }
    }

    // MARK: Changes by the user

    /// Trusts a device from now on.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - key: its advertising key, if it has told it.
    ///   - toldKey: the new advertising key of this device that was told to it; nil when none was.
    /// - Throws: ``HandoffError`` with `ownCard`, `invalidCard`, `limitReached`, `deviceRemoved` or `stateUnwritable`.
    func add(
        _ device: DeviceIdentity,
        key: AdvertisingKeyRecord? = nil,
        toldKey: AdvertisingKeyRecord? = nil
    ) async throws {
        try await change { kept throws(HandoffError) in
            try Self.insert(device, key: key, toldKey: toldKey, into: &kept)
        }
    }

    /// Trusts a device in a draft of the kept state.
    ///
    /// - Throws: ``HandoffError`` with `ownCard`, `invalidCard`, `limitReached` or `deviceRemoved`.
    static func insert(
        _ device: DeviceIdentity,
        key: AdvertisingKeyRecord?,
        toldKey: AdvertisingKeyRecord?,
        into kept: inout KeptState
    ) throws(HandoffError) {
        try kept.devices.insert(device, key: key, toldKey: toldKey)
        kept.pairings.markPaired(device.id)
    }

    /// Renames a device, which may be this one, on all devices of the circle.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice`, `limitReached` or `stateUnwritable`.
    func rename(_ id: DeviceID, to name: DeviceName) async throws {
        try await change { kept throws(HandoffError) in try kept.devices.rename(id, to: name) }
    }

    /// Gives this device the name of the configuration, if that has changed.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`.
    func configure(_ name: DeviceName) async throws {
        try await change { kept throws(HandoffError) in kept.devices.configure(name) }
    }

    /// Removes a known device for ever; its entries disappear at once, and this device advertises under a new key.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice`, `limitReached` or `stateUnwritable`.
    func remove(_ id: DeviceID) async throws {
        try await change { kept throws(HandoffError) in
            try kept.devices.remove(id)
            kept.pairings.forget(id)
        }
    }

    /// Trusts a known device again, whoever has removed or brought it.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice`, `limitReached` or `stateUnwritable`.
    func keep(_ id: DeviceID) async throws {
        try await change { kept throws(HandoffError) in try kept.devices.keep(id) }
    }

    /// Leaves the circle without notifying any other device, and becomes another device with new keys.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` while the user pairs this device, which has introduced itself under its
    ///   present identity, or with `stateUnwritable`.
    func leave() async throws {
        try await change { kept throws(HandoffError) in
            guard engine.read(\.pairing.activeRequest) == nil else {
                throw HandoffError(.limitReached, "This device is pairing: finish or stop that first, then leave.")
            }
            // Also those with devices that are not trusted: the new identity is not to be heard under an old key.
            kept.pairings = PairingRecords()
            kept.devices.leave()
        }
        engine.pairingUpdates.set(())
    }

    /// Changes the kept state, and shows how the trusted devices differ afterwards.
    @discardableResult
    func change<Result: Sendable>(
        _ edit: @Sendable (inout KeptState) throws(HandoffError) -> Result
    ) async throws -> Result {
        let (result, changes, _) = try await engine.persist { kept throws(HandoffError) in
            let before = kept.devices
            let result = try edit(&kept)
            let hasLeft = kept.devices.identity.id != before.identity.id
            return (result, kept.devices.changes(since: before), hasLeft)
        } then: { state, changed in
            let (_, changes, hasLeft) = changed
            state.show(changes, at: .now)
            if hasLeft || !changes.isEmpty { state.show(.circleChangedHere(changes, hasLeft: hasLeft)) }
        }
        if !changes.removed.isEmpty { engine.removals.set(()) }
        return result
    }

    // MARK: Changes by other devices

    /// Takes in what a trusted device has sent under a session's key.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`, `notTrusted` or `stateUnwritable`.
    func receive(_ message: CircleMessage, from peer: DeviceID) async throws {
        let (changes, _) = try await engine.persist { kept throws(HandoffError) in
            guard kept.devices[peer] != nil else { throw Self.removedMeanwhile }
            let before = kept.devices.contents
            let changes = try kept.devices.receive(message, from: peer)
            for member in changes.removed { kept.pairings.forget(member.id) }
            // Nor can a device that was removed elsewhere be trusted after a pairing that is not decided.
            let circle = kept.devices.contents.circle
            for record in kept.pairings.all {
                if case .removed? = circle[record.peer.id]?.standing { kept.pairings.forget(record.peer.id) }
            }
            return (changes, kept.devices.contents != before)
        } then: { state, received in
            let (changes, isNews) = received
            if isNews { state.sessions.recordNews(from: peer) }
            state.show(changes, at: .now)
            if !changes.isEmpty { state.show(.circleChanged(changes, by: peer)) }
        }
        if !changes.removed.isEmpty { engine.removals.set(()) }
        report(changes, from: peer)
    }

    /// Records that an exchange with a trusted device was completed.
    ///
    /// - Parameters:
    ///   - peer: the device.
    ///   - sent: the digest of the statements that it has received from this device.
    ///   - theirs: the digest that it has told afterwards.
    /// - Throws: ``HandoffError`` with `stateUnwritable`.
    func completeExchange(with peer: DeviceID, sent: [UInt8], theirs: [UInt8]) async throws {
        try await engine.persist { kept in
            kept.devices.completeExchange(with: peer, sent: sent, theirs: theirs)
            // It has told its circle to this device, and so trusts it.
            kept.pairings.forgetPaired(with: peer)
        } then: { state, _ in
            // It may have been removed meanwhile.
            guard state.trust.devices[peer] != nil else { return }
            state.trust.confirmed.complete(with: peer, at: Moment.now.uptime)
            if theirs == state.trust.devices.digest { state.sessions.setDivergent(false, peer) }
        }
        engine.logger.debug("exchanged the circle", metadata: ["event": "circle.exchanged", "device": "\(peer)"])
    }

    /// Records the circle digest that a device has sent beside an answer.
    func receiveDigest(_ digest: [UInt8], from peer: DeviceID) {
        engine.change { state, _ in
            guard state.trust.devices.isNews(digest, from: peer) else { return }
            state.sessions.setDivergent(true, peer)
        }
        engine.deviceUpdates.set(())
    }

    /// Moves all keys forward to the present day, so that this device can open nothing of the days before, and forgets
    /// pairings that are over.
    ///
    /// If it cannot be written, the keys on disk are moved forward with the next change.
    func moveKeysForward() async throws {
        let now = Moment.now
        do {
            let earlier = engine.read(\.trust.earlierKeys)
            _ = try await engine.persist { kept in
                let before = kept.devices.contents
                return (before, kept.moveForward(to: now, restoring: earlier))
            } then: { state, moved in
                state.trust.keepEarlierKeys(of: moved.0, replacedBy: moved.1)
            }
        } catch is HandoffError {
            try engine.edit { state in Result { () throws(HandoffError) in try state.trust.advance(to: now.slot) } }
                .get()
        }
    }

    // MARK: Contact

    /// Runs `body` as long as a device is trusted.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` when the device is removed first; else what `body` throws.
    func whileTrusted(_ id: DeviceID, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await race(body) { [self] in
            var version = engine.removals.current
            while device(id) != nil { version = try await engine.removals.changed(since: version) }
            throw HandoffError(.unknownDevice, "That device is not trusted any more.")
        }
    }

    /// Greets no device any more, because this one stops.
    func endGreetings() {
        engine.change { state, _ in state.trust.greetings = MemberGreetings() }
    }

    /// Records that a device was in contact just now, without an advertisement.
    func recordContact(with device: DeviceID) {
        engine.change { state, now in
            state.recordSeen(device, at: now)
        }
        engine.deviceUpdates.set(())
    }

    /// Records that a trusted device has proved in a session who it is.
    func recordSession(with device: DeviceID) {
        engine.change { state, now in
            state.recordSeen(device, at: now)
        }
    }

    /// Keeps when devices were heard, to the hour, if that has changed.
    ///
    /// If it cannot be written, it is known until the daemon stops, or is written with the next change.
    func persistLastSeen() async throws {
        let heard = engine.read { state in
            state.nearby.lastSeen.mapValues(\.unixMicroseconds)
                .filter { state.trust.devices.isFirstSeen($0.key, at: $0.value) }
        }
        guard !heard.isEmpty else { return }
        do {
            try await engine.persist { kept in
                for (device, time) in heard { kept.devices.recordLastSeen(of: device, at: time) }
            }
        } catch is HandoffError {
            engine.edit { state in state.trust.recordLastSeen(heard) }
        }
    }

    private func report(_ changes: TrustedDevices.Changes, from peer: DeviceID) {
        for device in changes.added {
            engine.logger.info(
                "a device joined the circle",
                metadata: ["event": "device.added", "device": "\(device.id)", "source": "\(peer)"]
            )
        }
        for member in changes.removed {
            engine.logger.info(
                "a device is not trusted any more",
                metadata: ["event": "device.removed", "device": "\(member.id)", "source": "\(peer)"]
            )
        }
        for member in changes.questions {
            engine.logger.notice(
                "the user has to decide whether a device is trusted: see `handoffctl devices`",
                metadata: ["event": "device.question", "device": "\(member.id)", "source": "\(peer)"]
            )
        }
        if changes.isOutdated {
            engine.logger.warning(
                "another device had a key of this device that this device does not know",
                metadata: ["event": "identity.outdated"]
            )
        }
    }
}

extension Engine.State {
    /// Shows how the trusted devices have changed, and forgets what concerns those that are not trusted any more.
    mutating func show(_ changes: TrustedDevices.Changes, at now: Moment) {
        for member in changes.removed { forget(member.id) }
        for device in changes.added { show(.deviceAdded(device)) }
        // Whoever has just paired wants to see what the other device offers.
        if !changes.added.isEmpty { nearby.scanPolicy.arrived(at: now.uptime) }
        for device in changes.changed { show(.deviceChanged(device)) }
        if changes.isIdentityChanged { show(.identityChanged) }
    }
}
