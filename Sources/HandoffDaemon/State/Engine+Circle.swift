import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import Logging

extension Engine {
    /// The name under which the circle knows this device.
    var name: DeviceName { read { $0.devices.ownName ?? DeviceName(sanitizing: "") } }

    /// What another device needs to trust this one; the advertising key in it is the present one.
    var card: CardText {
        guard let card = try? Self.card(of: read(\.devices), identity) else {
            preconditionFailure("a device's name fits a card")
        }
        return card
    }

    /// What this device knows of its circle.
    var circle: CircleMessage { read { $0.devices.contents.circle.message } }

    /// By what others tell whether they know the same.
    var circleDigest: [UInt8] { read(\.devices.digest) }

    /// What a person should know about this device's own state.
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
            + " Somebody who repeats what this device said before it was started looks the same for half an hour."
        return (isOutdated ? [("identity-outdated", outdated)] : [])
            + (isCloned ? [("identity-cloned", cloned)] : [])
    }

    /// Gives a device, this one too, a name that counts on all of them.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `stateUnwritable`.
    func rename(_ id: DeviceID, to name: DeviceName) throws(HandoffError) {
        try changeDevices { devices throws(HandoffError) in
            try devices.rename(id, to: name)
        } then: { state, _ throws(HandoffError) in
            state.outbox.append(state.devices[id].map(Effect.deviceChanged) ?? .identityChanged)
        }
    }

    /// Joins what a trusted device knows of the circle, which it has sent under a session's key.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`, `peerMisbehaved`, `notTrusted` or `stateUnwritable`.
    func merge(_ message: CircleMessage, from peer: DeviceID) throws(HandoffError) {
        let changes = try changeDevices { devices throws(HandoffError) in
            guard devices[peer] != nil else {
                throw HandoffError(.notTrusted, "The device was removed while it spoke.")
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

    /// Takes in that a trusted device has a state of the circle.
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

    /// Takes in by what a device tells which state of the circle it knows.
    func receiveCircleDigest(_ digest: [UInt8], from peer: DeviceID) {
        change { state, _ in
            guard state.devices[peer] != nil, state.devices.digest != digest else { return }
            state.divergentPeers.insert(peer)
        }
        deviceUpdates.set(())
    }

    /// The next device that has to be called because it may not know the present state, and where it is; it counts as
    /// called from then on.
    ///
    /// A device is called once in a slot, some more times when it advertises that it has news, and once more when a session
    /// has shown that it knows another state.
    func nextCircleUpdate() -> (device: TrustedDevices.Device, endpoint: PeerEndpoint)? {
        edit { state in
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
            logger.info("a device joined the circle", metadata: ["device": "\(device.id)", "told by": "\(source)"])
        }
        for id in changes.removed {
            logger.info("a device was removed from the circle", metadata: ["device": "\(id)", "told by": "\(source)"])
        }
        if changes.isOutdated {
            logger.warning("other devices know a newer state of this device than it has itself")
        }
    }
}

extension Engine.State {
    /// Makes what is derived from the devices' keys anew.
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

    /// Forgets what is known of a device that has just been removed.
    mutating func forget(_ id: DeviceID) {
        lastSeen[id] = nil
        endpoints[id] = nil
        updateThrottles[id] = nil
        divergentPeers.remove(id)
        outbox.append(contentsOf: nearby.remove(id).map(Engine.Effect.nearby))
        outbox.append(.deviceRemoved(id))
    }
}
