import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import SystemPackage
import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("A clock that was wrong for a moment silences no device", .endsWithin(minutes: 10))
struct ClockSetTests {
    /// Noon of some day.
    private static let slot: UInt64 = 96 * 20000 + 48
    /// How far the clock was wrong, in slots.
    private static let distances: [Int64] = [-400 * 96, -96, -48, 48, 96, 96 * 365, 96 * 3000, 96 * 5000]

    @Test(
        "A device whose clock was set to another day and back hears the others, and can be heard",
        arguments: distances
    )
    func aheadAndBack(distance: Int64) async throws {
        try await withDevices(at: Self.slot) { devices in
            let peer = try Peer("laptop", at: Self.slot)
            try devices.insert(peer.device, key: peer.advertisingKey)
            let wrong = UInt64(Int64(Self.slot) + distance)
            devices.advance(to: wrong)
            #expect(AdvertisementSealer(key: .daily(devices.ownKey.daily), slot: wrong) != nil, "it advertises")
            devices.advance(to: Self.slot)
            try expectHeard(devices, peer)
            let isMovedOn = distance > 48 && distance <= 96 * 3650
            #expect(devices.lacksKey(of: peer.device.id) == isMovedOn)
            #expect(devices.hasKeyOfAnotherDay(of: peer.device.id, at: Self.slot) == isMovedOn)
            if !isMovedOn { try expectReads(devices, peer) }
        }
    }

    @Test("With the keys of before, a clock that was wrong costs no key, its own or another's", arguments: distances)
    func restored(distance: Int64) async throws {
        try await withDevices(at: Self.slot) { devices in
            let peer = try Peer("laptop", at: Self.slot)
            let id = peer.device.id
            try devices.insert(peer.device, key: peer.advertisingKey)
            _ = try devices.receive(peer.message([], knowing: devices.ownKey.id), from: id)
            devices.completeExchange(with: id, sent: devices.digest, theirs: devices.digest)
            let before = devices.contents
            var earlier = EarlierKeys(of: before)
            earlier.replacement = devices.advance(to: UInt64(Int64(Self.slot) + distance), restoring: earlier)
            devices.advance(to: Self.slot, restoring: earlier)
            #expect(devices.ownKey == before.ownKey)
            #expect(devices.contents.peers == before.peers)
            #expect(!devices.hasUpdate(for: id))
            try expectReads(devices, peer)
        }
    }

    /// How a device comes to have a wrong clock, and which key another one tells it then.
    enum Wrong: CaseIterable {
        /// It had no key of the other device yet.
        case firstKey
        /// The other device has replaced the key that it has told before.
        case newKey
        /// It was started with the wrong clock.
        case start
    }

    @Test(
        "Keys that are told while the clock is wrong are there when it is right",
        arguments: distances,
        Wrong.allCases
    )
    func toldInBetween(distance: Int64, _ wrong: Wrong) async throws {
        try await withDevices(at: Self.slot) { devices in
            let peer = try Peer("laptop", at: Self.slot)
            let id = peer.device.id
            let before = AdvertisingKeyRecord.generate(day: DailyKey.keptDay(at: Self.slot))
            try devices.insert(peer.device, key: wrong == .newKey ? before : nil)
            let slot = UInt64(Int64(Self.slot) + distance)
            if wrong == .start { devices.advance(to: slot) }
            var state = try TrustState(devices, at: Moment(uptime: .zero, unixMicroseconds: 0))
            try state.advance(to: slot)
            devices = state.devices
            _ = try devices.receive(peer.message([], knowing: devices.ownKey.id), from: id)
            try state.setDevices(devices)
            try state.advance(to: Self.slot)
            try expectReads(state.devices, peer)
            let sending = try #require(try state.devices.directedKeys(with: id)?.told)
            #expect(AdvertisementSealer(key: sending, slot: Self.slot) != nil)
        }
    }

    @Test("Of a device that is removed while the clock is wrong, no key that it has told then comes back")
    func toldAndRemoved() async throws {
        try await withDevices(at: Self.slot) { devices in
            let peer = try Peer("laptop", at: Self.slot)
            try devices.insert(peer.device)
            var state = try TrustState(devices, at: Moment(uptime: .zero, unixMicroseconds: 0))
            try state.advance(to: Self.slot + 96)
            devices = state.devices
            _ = try devices.receive(peer.message([], knowing: devices.ownKey.id), from: peer.device.id)
            try devices.remove(peer.device.id)
            try state.setDevices(devices)
            devices = state.devices
            try devices.keep(peer.device.id)
            try state.setDevices(devices)
            try state.advance(to: Self.slot)
            #expect(state.devices.lacksKey(of: peer.device.id))
        }
    }

    @Test("A clock that was wrong twice, by different days, costs no key either")
    func twice() async throws {
        try await withDevices(at: Self.slot) { devices in
            let before = devices.contents
            var earlier = EarlierKeys(of: before)
            for distance in [-96, -200, 96, -96] as [Int64] {
                let replacement = devices.advance(to: UInt64(Int64(Self.slot) + distance), restoring: earlier)
                if let replacement { earlier.replacement = replacement }
            }
            devices.advance(to: Self.slot, restoring: earlier)
            #expect(devices.ownKey == before.ownKey)
        }
    }

    @Test("The keys of before do not come back where a device was told the new one")
    func toldMeanwhile() async throws {
        try await withDevices(at: Self.slot) { devices in
            let peer = try Peer("laptop", at: Self.slot)
            try devices.insert(peer.device, key: peer.advertisingKey)
            var earlier = EarlierKeys(of: devices.contents)
            earlier.replacement = devices.advance(to: Self.slot - 96, restoring: earlier)
            let told = devices.ownKey.id
            #expect(told == earlier.replacement)
            _ = try devices.receive(peer.message([], knowing: told), from: peer.device.id)
            devices.advance(to: Self.slot, restoring: earlier)
            #expect(devices.ownKey.id == told)
        }
    }

    @Test(
        "A key that a removed device has does not come back, whatever the clock does",
        arguments: [-96, 96] as [Int64]
    )
    func removedMeanwhile(distance: Int64) async throws {
        try await withDevices(at: Self.slot) { devices in
            let (peer, thief) = (try Peer("laptop", at: Self.slot), try Peer("phone", at: Self.slot))
            for each in [peer, thief] { try devices.insert(each.device, key: each.advertisingKey) }
            let known = devices.ownKey.id
            var earlier = EarlierKeys(of: devices.contents)
            earlier.replacement = devices.advance(to: UInt64(Int64(Self.slot) + distance), restoring: earlier)
            try devices.remove(thief.device.id)
            devices.advance(to: Self.slot, restoring: earlier)
            #expect(devices.ownKey.id != known && devices.ownKey.id != earlier.replacement)
            #expect(AdvertisementSealer(key: .daily(devices.ownKey.daily), slot: Self.slot) != nil)
            #expect(devices.contents.peers[thief.device.id] == nil)
            // Trusted again by the person, it is a device that has told nothing.
            try devices.keep(thief.device.id)
            devices.advance(to: Self.slot, restoring: earlier)
            #expect(devices.lacksKey(of: thief.device.id))
        }
    }

    @Test("A key that another device tells for a later day does not take the place of the earlier one")
    func toldForLaterDay() async throws {
        try await withDevices(at: Self.slot) { devices in
            let peer = try Peer("laptop", at: Self.slot)
            try devices.insert(peer.device, key: peer.advertisingKey)
            let later = AdvertisingKeyRecord(
                id: peer.advertisingKey.id,
                daily: try #require(peer.advertisingKey.daily.advanced(to: 20001))
            )
            var message = peer.message([], knowing: devices.ownKey.id)
            message.advertisingKey = later.rawRepresentation
            _ = try devices.receive(message, from: peer.device.id)
            try expectReads(devices, peer)
            // One that does not follow from it is a new one, which is right from its day on.
            message.advertisingKey = AdvertisingKeyRecord.generate(day: 20001).rawRepresentation
            _ = try devices.receive(message, from: peer.device.id)
            #expect(devices.hasKeyOfAnotherDay(of: peer.device.id, at: Self.slot))
            #expect(devices.hasKeyOfAnotherDay(of: peer.device.id, at: Self.slot + 46))
            #expect(!devices.hasKeyOfAnotherDay(of: peer.device.id, at: Self.slot + 47), "the last slot of the day")
            devices.advance(to: Self.slot + 96)
            #expect(!devices.lacksKey(of: peer.device.id))
        }
    }

    @Test("A device that was first started with its clock in 1970 is heard when the clock is right")
    func firstStartWithoutClock() async throws {
        try await withDevices(at: 3) { devices in
            let peer = try Peer("laptop")
            try devices.insert(peer.device)
            devices.advance(to: Self.slot)
            try expectHeard(devices, peer)
        }
    }

    /// Expects that the device can be heard by another one, which may not know its keys yet.
    private func expectHeard(_ devices: TrustedDevices, _ peer: Peer) throws {
        #expect(AdvertisementSealer(key: .daily(devices.ownKey.daily), slot: Self.slot) != nil)
        let directed = try #require(try devices.directedKeys(with: peer.device.id))
        for key in [directed.told ?? directed.paired, directed.paired] + directed.receiving {
            #expect(AdvertisementSealer(key: key, slot: Self.slot) != nil)
        }
        #expect(devices.hasUpdate(for: peer.device.id))
    }

    /// Expects that the device can open what another one advertises to all.
    private func expectReads(_ devices: TrustedDevices, _ peer: Peer) throws {
        var opener = AdvertisementOpener(keys: devices.receivingKeys.map { ($0.device, .daily($0.key)) })
        let sealer = try #require(AdvertisementSealer(key: .daily(peer.advertisingKey.daily), slot: Self.slot))
        #expect(opener.open(sealer.seal([1, 2, 3, 4, 5, 6]), slot: Self.slot)?.id == peer.device.id)
    }

    private func withDevices(at slot: UInt64, _ body: (inout TrustedDevices) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                let identity = try await Identity.loaded(from: directory)
                var devices = try TrustedDevices(from: directory, for: identity, named: DeviceName("desk"), at: slot)
                try await body(&devices)
            }
        }
    }
}
