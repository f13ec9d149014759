import HandoffCrypto
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging

extension Engine {
    /// Takes in an advertisement of anybody; most are of strangers and leave no trace.
    func heard(_ sighting: Sighting) {
        guard sighting.service == Self.service else { return heardPairing(sighting) }
        guard let (audience, plaintext, slot) = opened(sighting) else { return heardUnread(sighting) }
        guard let device = audience.device else { return heardOwn(sighting.data) }
        guard let report = Self.report(of: device, plaintext, of: slot, in: sighting) else { return }
        change { state, now in
            guard state.devices[device] != nil else { return }
            if audience.isNews { state.calls[device, default: NewsCalls()].invited(at: now) }
            state.lastSeen[device] = now.unixMicroseconds
            state.clocks.agrees(device)
            state.outbox.append(contentsOf: state.nearby.insert(report, at: now).map(Effect.nearby))
            state.places[report.device] = state.nearby.places(of: report.device).first ?? state.places[report.device]
        }
        remember(device)
        sightings.set(())
    }

    /// The entry with that id.
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

    /// A trusted device, and where it was heard last.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `peerUnreachable`.
    func reachable(_ id: DeviceID) throws(HandoffError) -> (TrustedDevices.Device, Place) {
        let (device, place) = read { ($0.devices[id], $0.places[id]) }
        guard let device else { throw HandoffError(.unknownDevice, "That device is not trusted any more.") }
        guard let place else {
            throw HandoffError(.peerUnreachable, "\(device.name.rawValue) was not heard yet: bring it nearer.")
        }
        return (device, place)
    }

    /// Where a device was heard lately, the last place first.
    func places(of device: DeviceID) -> [Place] {
        read { $0.nearby.places(of: device) }
    }

    /// Drops an entry whose origin goes on with something else.
    func becameStale(_ id: NearbyEntry.ID) {
        change { state, now in
            state.outbox.append(contentsOf: state.nearby.remove(entry: id, at: now).map(Effect.nearby))
        }
    }

    /// Remembers the type of an activity that was fetched.
    func learn(_ type: ActivityType) {
        change { state, _ in state.learn(type) }
    }

    /// Scans with full effort until the program leaves or says stop.
    func startLooking(for client: String) {
        change { state, _ in _ = state.lookers.insert(client) }
    }

    /// Takes ``startLooking(for:)`` back.
    func stopLooking(for client: String) {
        change { state, _ in _ = state.lookers.remove(client) }
    }
}

extension Engine.State {
    /// Remembers a type; entries that have a name through it are shown anew.
    mutating func learn(_ type: ActivityType) {
        guard knownTypes.learn(type) else { return }
        for entry in nearby.all where entry.typeHash == type.hash {
            outbox.append(.nearby(.changed(entry)))
        }
    }
}

extension Engine {
    /// What a trusted device said and to whom, or nil when it was somebody else, which costs next to nothing.
    private func opened(_ sighting: Sighting) -> (audience: Audience, plaintext: [UInt8], slot: UInt64)? {
        let slot = Moment.now.slot
        return edit { $0.opener.open(sighting.data, slot: slot) }.map { opened in
            (opened.id, opened.plaintext, slot &+ UInt64(bitPattern: Int64(opened.slotOffset)))
        }
    }

    private static func report(
        of device: DeviceID,
        _ plaintext: [UInt8],
        of slot: UInt64,
        in sighting: Sighting
    ) -> NearbyTable.Report? {
        guard let payload = try? AdvertisementPayload(decoding: plaintext),
            let port = ChannelPort(rawValue: UInt16(payload.port))
        else { return nil }
        return NearbyTable.Report(
            device: device,
            activity: payload.typeHash == .farewell ? nil : payload.typeHash,
            hasWebpage: payload.hasWebpage,
            rssi: sighting.rssi,
            address: sighting.address,
            port: port,
            slot: slot
        )
    }

    /// Takes in that a device was near just now, though it was not heard in an advertisement.
    func met(_ device: DeviceID) {
        change { state, now in
            guard state.devices[device] != nil else { return }
            state.lastSeen[device] = now.unixMicroseconds
        }
        remember(device)
    }

    /// Keeps when a device was heard, once in an hour.
    private func remember(_ device: DeviceID) {
        let now = Moment.now.unixMicroseconds
        guard read({ $0.devices.isFirstSeen(device, at: now) }) else { return }
        try? changeDevices {
            $0.saw(device, at: now)
        } then: { _, _ in
        }
    }

    /// Takes in an advertisement under this device's own key; one that it has not sent itself is a clone's.
    private func heardOwn(_ data: [UInt8]) {
        guard read({ !$0.isCloned && !$0.sent.contains(data) }) else { return }
        change { state, _ in
            state.isCloned = true
            state.outbox.append(.identityChanged)
        }
        logger.warning("another machine advertises with this device's keys")
    }
}
