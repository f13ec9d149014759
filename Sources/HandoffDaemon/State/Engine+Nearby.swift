import AsyncSupport
import DBus
import HandoffCrypto
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging

extension Engine {
    /// Handles an advertisement of any device; most are not from trusted devices and change nothing.
    func receive(_ received: AdvertisementReport) {
        guard received.service == Self.service else { return receivePairingAdvertisement(received) }
        guard let (sender, plaintext, slot) = opened(received) else { return receiveUnopened(received) }
        guard let device = sender.device else { return receiveOwnAdvertisement(received.data) }
        guard let report = Self.report(of: device, plaintext, of: slot, in: received) else { return }
        change { state, now in
            guard state.devices[device] != nil else { return }
            if sender.isDirected { state.updateThrottles[device, default: UpdateThrottle()].recordInvitation(at: now) }
            state.lastSeen[device] = now.unixMicroseconds
            state.clockSkew.clearSkew(of: device)
            state.outbox.append(contentsOf: state.nearby.insert(report, at: now).map(Effect.nearby))
            state.endpoints[report.device] =
                state.nearby.endpoints(of: report.device).first ?? state.endpoints[report.device]
        }
        persistLastSeen(device)
        deviceUpdates.set(())
    }

    /// Returns the entry with that id.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity`.
    func entry(_ id: NearbyEntry.ID) throws(HandoffError) -> NearbyEntry {
        guard let entry = read({ $0.nearby[id] }) else {
            throw HandoffError(
                .noSuchActivity,
                "That activity is not nearby any more; see `handoffctl nearby` for what is."
            )
        }
        return entry
    }

    /// Returns a trusted device, and the endpoint at which it was heard last.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `peerUnreachable`.
    func reachable(_ id: DeviceID) throws(HandoffError) -> (TrustedDevices.Device, PeerEndpoint) {
        let (device, endpoint) = read { ($0.devices[id], $0.endpoints[id]) }
        guard let device else { throw HandoffError(.unknownDevice, "That device is not trusted any more.") }
        guard let endpoint else {
            throw HandoffError(.peerUnreachable, "\(device.name.rawValue) was not heard yet: bring it nearer.")
        }
        return (device, endpoint)
    }

    /// Returns the endpoints at which a device was heard lately, the latest first.
    func endpoints(of device: DeviceID) -> [PeerEndpoint] {
        read { $0.nearby.endpoints(of: device) }
    }

    /// Removes an entry whose origin has a different current activity.
    func removeStaleEntry(_ id: NearbyEntry.ID) {
        change { state, now in
            state.outbox.append(contentsOf: state.nearby.remove(entry: id, at: now).map(Effect.nearby))
        }
    }

    /// Remembers the type of an activity that was fetched.
    func learn(_ type: ActivityType) {
        change { state, _ in state.learn(type) }
    }

    /// Scans continuously until the client leaves the bus or stops.
    func startLooking(for client: BusName) {
        change { state, _ in _ = state.activeScanners.insert(client) }
    }

    /// Ends ``startLooking(for:)``.
    func stopLooking(for client: BusName) {
        change { state, _ in _ = state.activeScanners.remove(client) }
    }
}

extension Engine.State {
    /// Remembers a type; entries whose type is known because of it are signalled again.
    mutating func learn(_ type: ActivityType) {
        guard knownTypes.learn(type) else { return }
        for entry in nearby.all where entry.typeHash == type.hash {
            outbox.append(.nearby(.changed(entry)))
        }
    }
}

extension Engine {
    /// Opens an advertisement; returns nil if no trusted device has sealed it, which is found out at little cost.
    private func opened(_ received: AdvertisementReport) -> (
        sender: AdvertisementSender, plaintext: [UInt8], slot: UInt64
    )? {
        let slot = Moment.now.slot
        return edit { $0.opener.open(received.data, slot: slot) }.map { opened in
            (opened.id, opened.plaintext, slot &+ UInt64(bitPattern: Int64(opened.slotOffset)))
        }
    }

    private static func report(
        of device: DeviceID,
        _ plaintext: [UInt8],
        of slot: UInt64,
        in received: AdvertisementReport
    ) -> NearbyTable.Report? {
        guard let payload = try? AdvertisementPayload(decoding: plaintext) else { return nil }
        return NearbyTable.Report(
            device: device,
            activity: payload.typeHash == .withdrawal ? nil : payload.typeHash,
            hasWebpage: payload.hasWebpage,
            rssi: received.rssi,
            address: received.address,
            port: payload.port,
            slot: slot
        )
    }

    /// Records that a device was in contact just now, without an advertisement.
    func recordContact(with device: DeviceID) {
        change { state, now in
            guard state.devices[device] != nil else { return }
            state.lastSeen[device] = now.unixMicroseconds
        }
        persistLastSeen(device)
    }

    /// Persists when a device was heard, at most once an hour.
    private func persistLastSeen(_ device: DeviceID) {
        let now = Moment.now.unixMicroseconds
        guard read({ $0.devices.isFirstSeen(device, at: now) }) else { return }
        try? changeDevices {
            $0.recordLastSeen(of: device, at: now)
        } then: { _, _ in
        }
    }

    /// Handles an advertisement under this device's own key; if this device has not sent it, another machine has a copy
    /// of its keys.
    private func receiveOwnAdvertisement(_ data: [UInt8]) {
        guard read({ !$0.isCloned && !$0.sent.contains(data) }) else { return }
        change { state, _ in
            state.isCloned = true
            state.outbox.append(.identityChanged)
        }
        logger.warning(
            "another machine advertises with this device's keys",
            metadata: ["event": "identity.cloned"]
        )
    }
}
