import HandoffCore
import HandoffCrypto
import HandoffModel
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Trusted devices are kept on disk", .endsWithin(minutes: 10))
struct TrustedDevicesTests {
    /// Noon of some day.
    static let slot: UInt64 = 96 * 20000 + 48

    @Test("A trusted device is still trusted after a restart, with its keys, and devices are sorted by name")
    func keeping() async throws {
        try await withDevices { devices, directory in
            #expect(devices.isEmpty)
            let (laptop, desktop) = (try Peer("laptop"), try Peer("Desktop é"))
            try devices.insert(laptop.device, key: .generate(day: 20000))
            try devices.insert(desktop.device)
            try await CircleFile.write(devices.contents, to: directory)
            #expect(devices.all.map(\.identity) == [desktop.device, laptop.device])
            let again = try Self.load(directory, devices.identity, at: Self.slot)
            #expect(again.contents == devices.contents)
            #expect(again.all == devices.all)
        }
    }

    @Test("A device that is trusted again gets its new name")
    func renewing() async throws {
        try await withDevices { devices, directory in
            let old = try Peer("old").device
            try devices.insert(old)
            let new = DeviceIdentity(publicKeys: old.publicKeys, name: try DeviceName("new"))
            try devices.insert(new)
            #expect(devices.all.map(\.identity) == [new])
        }
    }

    @Test("A removed device is absent after a restart, is not added again, and an unknown one cannot be removed")
    func removing() async throws {
        try await withDevices { devices, directory in
            let (device, unknown) = (try Peer("laptop").device, try Peer("other").device)
            try devices.insert(device)
            try devices.remove(device.id)
            try await CircleFile.write(devices.contents, to: directory)
            var again = try Self.load(directory, devices.identity, at: Self.slot)
            #expect(again.isEmpty)
            #expect { try again.insert(device) } throws: { ($0 as? HandoffError)?.code == .deviceRemoved }
            #expect { try again.remove(unknown.id) } throws: { error in
                (error as? HandoffError)?.code == .unknownDevice && "\(error)".contains(unknown.id.description)
            }
            try again.keep(device.id)
            #expect(again.all.map(\.identity) == [device])
        }
    }

    @Test("Whoever joins or leaves, this device gets a new key, and the keys of others are as before")
    func newKeys() async throws {
        try await withDevices { devices, directory in
            var keys = [devices.ownKey]
            let (laptop, phone) = (try Peer("laptop"), try Peer("phone"))
            try devices.insert(laptop.device, key: laptop.advertisingKey)
            keys.append(devices.ownKey)
            let told = AdvertisingKeyRecord.generate(day: 20000)
            try devices.insert(phone.device, key: phone.advertisingKey, toldKey: told)
            #expect(devices.ownKey == told)
            keys.append(devices.ownKey)
            try devices.rename(laptop.device.id, to: DeviceName("travel"))
            #expect(devices.ownKey == told)
            try devices.remove(phone.device.id)
            keys.append(devices.ownKey)
            #expect(Set(keys.map(\.id)).count == 4)
            #expect(devices.receivingKeys.map(\.0) == [laptop.device.id])
        }
    }

    @Test("A state that was moved forward opens nothing of the days before, and its file holds no earlier key")
    func forwardSecrecy() async throws {
        try await withDevices { devices, directory in
            let peer = try Peer("laptop")
            try devices.insert(peer.device, key: .generate(day: 20000))
            // A week of what both devices advertise to each other, once in each slot.
            var recorded: [(slot: UInt64, data: [UInt8])] = []
            for slot in Self.slot..<(Self.slot + 7 * 96) {
                devices.advance(to: slot)
                let keys = [SealingKey.daily(devices.ownKey.daily)] + devices.receivingKeys.map { .daily($0.1) }
                for key in keys + [.daily(try #require(devices.contents.peers[peer.device.id]).receivingKey)] {
                    let sealer = try #require(AdvertisementSealer(key: key, slot: slot))
                    recorded.append((slot, sealer.seal([1, 2, 3, 4, 5, 6])))
                }
            }
            try await CircleFile.write(devices.contents, to: directory)
            // The thief reads the whole state directory.
            let stolen = try Self.load(directory, devices.identity, at: Self.slot + 7 * 96)
            var keys = [SealingKey.daily(stolen.ownKey.daily)] + stolen.receivingKeys.map { .daily($0.1) }
            keys += stolen.contents.peers.values.map { .daily($0.receivingKey) }
            let today = (Self.slot + 7 * 96 - 1) / 96
            var opened = 0
            for (slot, data) in recorded {
                var opener = AdvertisementOpener(keys: keys.enumerated().map { ($0.offset, $0.element) })
                guard opener.open(data, slot: slot) != nil else { continue }
                #expect(slot / 96 >= today)
                opened += 1
            }
            #expect(opened > 0)
        }
    }

    @Test("Trust that cannot be stored is not granted, and a device whose removal cannot be stored remains")
    func failedWrite() async throws {
        try await EngineWorld.runReady { world, peer in
            try world.directory.path.appending(".devices.new").makeSocket()
            await #expect { try await world.engine.trust.add(Peer("desktop").device) } throws: {
                ($0 as? HandoffError)?.code == .stateUnwritable
            }
            await #expect { try await world.engine.trust.remove(peer.device.id) } throws: {
                ($0 as? HandoffError)?.code == .stateUnwritable
            }
            #expect(world.trusted == [peer.device])
            #expect(try world.kept().all.map(\.identity) == [peer.device])
        }
    }

    private static func load(
        _ directory: StateDirectory,
        _ identity: Identity,
        at slot: UInt64
    ) throws -> TrustedDevices {
        try TrustedDevices(from: directory, for: identity, named: DeviceName("desk"), at: slot)
    }

    private func withDevices(_ body: (inout TrustedDevices, StateDirectory) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                let identity = try await Identity.loaded(from: directory)
                var devices = try Self.load(directory, identity, at: Self.slot)
                try await body(&devices, directory)
            }
        }
    }
}
