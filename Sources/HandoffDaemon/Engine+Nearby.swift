import HandoffCrypto
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire

extension Engine {
    /// Takes in an advertisement of anybody; most are of strangers and leave no trace.
    func heard(_ sighting: Sighting) {
        guard sighting.service == Self.service else { return }
        guard let report = opened(sighting) else { return compareClocks(sighting) }
        change { state, now in
            guard state.devices[report.device] != nil else { return }
            state.lastSeen[report.device] = now.unixMicroseconds
            state.clocks.agrees(report.device)
            state.outbox.append(contentsOf: state.nearby.insert(report, at: now).map(Effect.nearby))
            state.places[report.device] = state.nearby.places(of: report.device).first ?? state.places[report.device]
        }
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
    /// What a trusted device said, or nil when it was somebody else, which costs next to nothing.
    fileprivate func opened(_ sighting: Sighting) -> NearbyTable.Report? {
        let slot = Moment.now.slot
        guard let opened = edit({ $0.opener.open(sighting.data, slot: slot) }),
            let payload = try? AdvertisementPayload(decoding: opened.plaintext),
            let port = ChannelPort(rawValue: UInt16(payload.port))
        else { return nil }
        return NearbyTable.Report(
            device: opened.id,
            activity: payload.typeHash == .farewell ? nil : payload.typeHash,
            hasWebpage: payload.hasWebpage,
            rssi: sighting.rssi,
            address: sighting.address,
            port: port,
            slot: slot &+ UInt64(bitPattern: Int64(opened.slotOffset))
        )
    }
}
