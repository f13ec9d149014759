import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import Logging

extension Engine {
    /// The name of this device in the circle.
    var name: DeviceName { read { $0.devices.ownName ?? DeviceName(sanitizing: "") } }

    /// The card with which another device can trust this one; it contains the present advertising key.
    var card: CardText {
        guard let card = try? Self.card(of: read(\.devices), identity) else {
            preconditionFailure("a device's name fits a card")
        }
        return card
    }

    /// The circle as this device knows it, in the form of the protocol.
    var circle: CircleMessage { read { $0.devices.contents.circle.message } }

    /// The circle digest, by which two devices find out whether they know the same state.
    var circleDigest: [UInt8] { read(\.devices.digest) }

    /// The advisories about this device's own state.
    var circleAdvisories: [(name: String, message: String)] {
        let (isOutdated, isCloned) = read { ($0.devices.isOutdated, $0.isCloned) }
        let cure =
            "remove this device on another one, delete the state directory on both machines, and pair both again."
        let outdated =
            "Your other devices know a newer state of this device than it has itself: its state directory is an old copy, or "
            + "another machine uses a copy of it. If another one does, " + cure
        let cloned =
            "Another machine advertises with this device's own keys: it uses a copy of the state directory. If that is so, "
            + cure
            + " For half an hour after a start, a replay of this device's earlier advertisements looks the same."
        return (isOutdated ? [("identity-outdated", outdated)] : [])
            + (isCloned ? [("identity-cloned", cloned)] : [])
    }

    /// Renames a device, which may be this one, on all devices of the circle.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `stateUnwritable`.
    func rename(_ id: DeviceID, to name: DeviceName) throws(HandoffError) {
        try changeDevices { devices throws(HandoffError) in
            try devices.rename(id, to: name)
        } then: { state, _ throws(HandoffError) in
            state.outbox.append(state.devices[id].map(Effect.deviceChanged) ?? .identityChanged)
        }
    }

    /// Merges the circle that a trusted device has sent under a session's key.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`, `peerMisbehaved`, `notTrusted` or `stateUnwritable`.
    func merge(_ message: CircleMessage, from peer: DeviceID) throws(HandoffError) {
        let changes = try changeDevices { devices throws(HandoffError) in
            guard devices[peer] != nil else {
                throw HandoffError(.notTrusted, "The device was removed during the session.")
            }
            return try devices.merge(message, from: peer, for: identity)
        } then: { state, changes throws(HandoffError) in
            guard changes != TrustedDevices.Changes() else { return }
            try state.rekey(for: identity)
            for id in changes.removed {
                state.forget(id)
                state.pairing.forget(id, for: identity)
            }
            state.outbox.append(contentsOf: changes.added.map(Effect.deviceAdded))
            state.outbox.append(contentsOf: changes.changed.map(Effect.deviceChanged))
            if changes.isRenamed || changes.isOutdated { state.outbox.append(.identityChanged) }
        }
        if !changes.removed.isEmpty { removals.set(()) }
        report(changes, from: peer)
    }

    /// Records that a trusted device has acknowledged a state of the circle.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`.
    func acknowledged(_ circle: CircleMessage, by peer: DeviceID) throws(HandoffError) {
        let digest = try Circle(circle).digest
        try changeDevices { devices throws(HandoffError) in
            try devices.acknowledge(digest, by: peer)
        } then: { state, _ in
            if digest == state.devices.digest { state.divergentPeers.remove(peer) }
        }
    }

    /// Records the circle digest that a device has sent.
    func receiveCircleDigest(_ digest: [UInt8], from peer: DeviceID) {
        change { state, _ in
            guard state.devices[peer] != nil, state.devices.digest != digest else { return }
            state.divergentPeers.insert(peer)
        }
        deviceUpdates.set(())
    }

    /// Returns the next device that needs a circle update; counts it as dialled.
    ///
    /// A device may not know the present state of the circle. It is dialled once in a slot, some more times when it
    /// advertises that it has a circle update, and once more when a session has shown that it knows a different state.
    func nextCircleUpdate() -> SessionPeer? {
        let next: (device: TrustedDevices.Device, endpoint: PeerEndpoint)? = edit { state in
            let now = Moment.now
            for entry in state.nearby.all {
                guard let device = state.devices[entry.device] else { continue }
                let isDifferent = state.divergentPeers.remove(device.id) != nil
                let hasUpdate = state.devices.hasUpdate(for: device.id)
                guard
                    state.updateThrottles[device.id, default: UpdateThrottle()].shouldCall(
                        at: now,
                        hasUpdate: hasUpdate
                    ) || isDifferent
                else { continue }
                return (device, entry.endpoint)
            }
            return nil
        }
        return next.map { peer($0.device, at: $0.endpoint) }
    }

    static func card(of devices: TrustedDevices, _ identity: Identity) throws(CryptoError) -> CardText {
        try CardText(
            publicKey: identity.keys.publicKey,
            advertisingKey: devices.ownKey ?? identity.keys.advertisingKey,
            name: devices.ownName?.rawValue ?? ""
        )
    }

    private func report(_ changes: TrustedDevices.Changes, from peer: DeviceID) {
        let source = "\(peer)"
        for device in changes.added {
            logger.info(
                "a device joined the circle",
                metadata: ["event": "device.added", "device": "\(device.id)", "source": "\(source)"]
            )
        }
        for id in changes.removed {
            logger.info(
                "a device was removed from the circle",
                metadata: ["event": "device.removed", "device": "\(id)", "source": "\(source)"]
            )
        }
        if changes.isOutdated {
            logger.warning(
                "other devices know a newer state of this device than it has itself",
                metadata: ["event": "identity.outdated"]
            )
        }
    }
}

extension Engine.State {
    /// Recomputes what is derived from the devices' keys.
    mutating func rekey(for identity: Identity) throws(HandoffError) {
        trial = try devices.trial(for: identity)
        var directedAdvertisingKeys: [DeviceID: DirectedAdvertisingKeys] = [:]
        for device in devices.all {
            let known = self.directedAdvertisingKeys[device.id]
            directedAdvertisingKeys[device.id] =
                if let known { known } else { try Self.directedAdvertisingKeys(with: device, for: identity) }
        }
        self.directedAdvertisingKeys = directedAdvertisingKeys
        var keys: [(AdvertisementSender, AdvertisingKey)] = devices.receivingKeys.map { (.all($0), $1) }
        keys += directedAdvertisingKeys.map { (.directed(from: $0), $1.receiving) }
        keys.append((.own, devices.ownKey ?? identity.keys.advertisingKey))
        opener = AdvertisementOpener(keys: keys)
    }

    private static func directedAdvertisingKeys(
        with device: TrustedDevices.Device,
        for identity: Identity
    ) throws(HandoffError) -> DirectedAdvertisingKeys {
        do {
            return try DirectedAdvertisingKeys(local: identity.keys.agreement, remote: device.publicKey)
        } catch {
            throw HandoffError(.stateDamaged, error.message)
        }
    }

    /// Forgets everything about a device that was just removed.
    mutating func forget(_ id: DeviceID) {
        lastSeen[id] = nil
        endpoints[id] = nil
        updateThrottles[id] = nil
        divergentPeers.remove(id)
        outbox.append(contentsOf: nearby.remove(id).map(Engine.Effect.nearby))
        outbox.append(.deviceRemoved(id))
    }
}
