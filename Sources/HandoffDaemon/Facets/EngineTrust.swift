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

    private var identity: Identity { engine.identity }

    // MARK: What is known

    /// The name of this device in the circle.
    var name: DeviceName { engine.read { $0.trust.devices.ownName ?? DeviceName(sanitizing: "") } }

    /// The card with which another device can trust this one; it contains the present advertising key.
    var card: CardText {
        guard let card = try? engine.read(\.trust).card else { preconditionFailure("a device's name fits a card") }
        return card
    }

    /// The circle as this device knows it, in the form of the protocol.
    var circle: CircleMessage { engine.read(\.trust.circle) }

    /// Returns the circle for a trusted device.
    ///
    /// - Throws: ``HandoffError`` with `notTrusted` if it was removed meanwhile: it must not learn the keys that this
    ///   device and others have had since.
    func circle(for device: DeviceID) throws(HandoffError) -> CircleMessage {
        let circle = engine.read { $0.trust.devices[device] == nil ? nil : $0.trust.circle }
        guard let circle else { throw Self.removedMeanwhile }
        return circle
    }

    private static let removedMeanwhile = HandoffError(.notTrusted, "The device was removed during the session.")

    /// The circle digest, by which two devices find out whether they know the same state.
    var circleDigest: [UInt8] { engine.read(\.trust.devices.digest) }

    /// Returns a trusted device; nil when it is not trusted.
    func device(_ id: DeviceID) -> TrustedDevices.Device? { engine.read { $0.trust.devices[id] } }

    /// The advisories about this device's own state.
    var advisories: [(name: String, message: String)] {
        let now = Moment.now
        let (isOutdated, isSuspected) = engine.read {
            ($0.trust.devices.isOutdated, $0.trust.ownKeyDetector.isSuspected(at: now.uptime))
        }
        let cure =
            "remove this device on another one, delete the state directory on both machines, and pair both again."
        let outdated =
            "Your other devices know a newer state of this device than it has itself: its state directory is an old copy, or "
            + "another machine uses a copy of it. If another one does, " + cure
        let ownKey =
            "An advertisement under this device's own key was received that it has not sent. Each of your devices can make "
            + "one, and so can another machine with the same keys. This alone is no reason to change anything: look whether "
            + "`handoffctl devices` lists only devices of yours; Trust.md explains the rest."
        return (isOutdated ? [("identity-outdated", outdated)] : [])
            + (isSuspected ? [("own-key-heard", ownKey)] : [])
    }

    // MARK: Changes by the user

    /// Trusts a device from now on.
    ///
    /// - Throws: ``HandoffError`` with `ownCard`, `invalidCard`, `limitReached` or `stateUnwritable`.
    func add(_ device: TrustedDevices.Device) async throws {
        let identity = identity
        _ = try await engine.persist { kept throws(HandoffError) in
            try Self.insert(device, into: &kept, for: identity)
        } then: { state, isKnown in
            state.show(isKnown ? .deviceChanged(device) : .deviceAdded(device))
        }
    }

    /// Trusts a device in a draft of the kept state; returns whether it was trusted already.
    ///
    /// - Throws: ``HandoffError`` with `ownCard`, `invalidCard` or `limitReached`.
    static func insert(
        _ device: TrustedDevices.Device,
        into kept: inout KeptState,
        for identity: Identity
    ) throws(HandoffError) -> Bool {
        guard device.id != identity.id else {
            throw HandoffError(.ownCard, "This card is this device's own; trust it on your other device instead.")
        }
        try TrustedDevices.checkKey(of: device, for: identity)
        let isKnown = kept.devices[device.id] != nil
        try kept.devices.insert(device)
        kept.pairings.markPaired(device.id)
        return isKnown
    }

    /// Renames a device, which may be this one, on all devices of the circle.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `stateUnwritable`.
    func rename(_ id: DeviceID, to name: DeviceName) async throws {
        try await engine.persist { kept throws(HandoffError) in
            try kept.devices.rename(id, to: name)
        } then: { state, _ in
            state.show(state.trust.devices[id].map(Engine.Effect.deviceChanged) ?? .identityChanged)
        }
    }

    /// Removes a trusted device; its entries disappear at once, and this device advertises under a new key.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `stateUnwritable`.
    func remove(_ id: DeviceID) async throws {
        try await engine.persist { kept throws(HandoffError) in
            try kept.devices.remove(id)
            kept.pairings.forget(id)
        } then: { state, _ in
            state.forget(id)
        }
        engine.removals.set(())
    }

    /// Leaves the circle without notifying any other device, and advertises under a new key.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then nothing has changed.
    func leave() async throws {
        _ = try await engine.persist { kept throws(HandoffError) in
            let left = kept.devices.all.map(\.id)
            try kept.devices.leave()
            for id in left { kept.pairings.forget(id) }
            return left
        } then: { state, left in
            for id in left { state.forget(id) }
            state.show(.identityChanged)
        }
        engine.removals.set(())
    }

    // MARK: Changes by other devices

    /// Merges the circle that a trusted device has sent under a session's key; returns the merged circle.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`, `peerMisbehaved`, `notTrusted` or `stateUnwritable`.
    @discardableResult
    func merge(_ message: CircleMessage, from peer: DeviceID) async throws -> CircleMessage {
        let identity = identity
        let (changes, merged) = try await engine.persist { kept throws(HandoffError) in
            guard kept.devices[peer] != nil else { throw Self.removedMeanwhile }
            let changes = try kept.devices.merge(message, from: peer, for: identity)
            for id in changes.removed { kept.pairings.forget(id) }
            return (changes, kept.devices.contents.circle.message)
        } then: { state, result in
            let changes = result.0
            for id in changes.removed { state.forget(id) }
            for device in changes.added { state.show(.deviceAdded(device)) }
            for device in changes.changed { state.show(.deviceChanged(device)) }
            if changes.isRenamed || changes.isOutdated { state.show(.identityChanged) }
        }
        if !changes.removed.isEmpty { engine.removals.set(()) }
        report(changes, from: peer)
        return merged
    }

    /// Records that a trusted device has acknowledged a state of the circle.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`, or `peerMisbehaved` for an invalid circle.
    func acknowledged(_ circle: CircleMessage, by peer: DeviceID) async throws {
        let digest = try Circle(circle).digest
        try await engine.persist { kept in
            kept.devices.acknowledge(digest, by: peer)
        } then: { state, _ in
            if digest == state.trust.devices.digest { state.sessions.setDivergent(false, peer) }
        }
    }

    /// Records the circle digest that a device has sent.
    func receiveDigest(_ digest: [UInt8], from peer: DeviceID) {
        engine.change { state, _ in
            guard state.trust.devices[peer] != nil, state.trust.devices.digest != digest else { return }
            state.sessions.setDivergent(true, peer)
        }
        engine.deviceUpdates.set(())
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

    /// Records that a device was in contact just now, without an advertisement.
    func recordContact(with device: DeviceID) {
        engine.change { state, now in
            guard state.trust.devices[device] != nil else { return }
            state.nearby.lastSeen[device] = now.unixMicroseconds
        }
        engine.deviceUpdates.set(())
    }

    /// Keeps when devices were heard, to the hour, if that has changed.
    ///
    /// If it cannot be written, it is known until the daemon stops, or is written with the next change.
    func persistLastSeen() async throws {
        let heard = engine.read { state in
            state.nearby.lastSeen.filter { state.trust.devices.isFirstSeen($0.key, at: $0.value) }
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
        let source = "\(peer)"
        for device in changes.added {
            engine.logger.info(
                "a device joined the circle",
                metadata: ["event": "device.added", "device": "\(device.id)", "source": "\(source)"]
            )
        }
        for id in changes.removed {
            engine.logger.info(
                "a device was removed from the circle",
                metadata: ["event": "device.removed", "device": "\(id)", "source": "\(source)"]
            )
        }
        if changes.isOutdated {
            engine.logger.warning(
                "other devices know a newer state of this device than it has itself",
                metadata: ["event": "identity.outdated"]
            )
        }
    }
}
