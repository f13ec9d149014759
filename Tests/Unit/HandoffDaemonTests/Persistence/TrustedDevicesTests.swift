import HandoffCore
import HandoffCrypto
import HandoffModel
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Trusted devices are kept on disk", .endsWithin(minutes: 10))
struct TrustedDevicesTests {
    typealias Device = TrustedDevices.Device

    @Test("A trusted device is still trusted after a restart, and devices are sorted by name")
    func keeping() async throws {
        try await withDirectory { directory in
            var devices = try TrustedDevices(from: directory)
            #expect(devices.isEmpty)
            let (laptop, desktop) = (try Device.sample("laptop"), try Device.sample("Desktop é"))
            try devices.insert(laptop)
            try devices.insert(desktop)
            try await CircleFile.write(devices.contents, to: directory)
            #expect(devices.all == [desktop, laptop])
            #expect(try TrustedDevices(from: directory).all == [desktop, laptop])
        }
    }

    @Test("A device that is trusted again gets its new name and key")
    func renewing() async throws {
        try await withDirectory { directory in
            var devices = try TrustedDevices(from: directory)
            let old = try Device.sample("old")
            try devices.insert(old)
            let new = Device(name: try DeviceName("new"), publicKeys: old.publicKeys, advertisingKey: .generate())
            try devices.insert(new)
            try await CircleFile.write(devices.contents, to: directory)
            #expect(try TrustedDevices(from: directory).all == [new])
        }
    }

    @Test("A removed device is absent after a restart, and an unknown one cannot be removed")
    func removing() async throws {
        try await withDirectory { directory in
            var devices = try TrustedDevices(from: directory)
            let device = try Device.sample("laptop")
            try devices.insert(device)
            try devices.remove(device.id)
            try await CircleFile.write(devices.contents, to: directory)
            #expect(try TrustedDevices(from: directory).isEmpty)
            #expect { try devices.remove(device.id) } throws: { error in
                (error as? HandoffError)?.code == .unknownDevice && "\(error)".contains(device.id.description)
            }
        }
    }

    @Test("There is room for 100 devices, and a known one always fits")
    func limit() async throws {
        try await withDirectory { directory in
            var devices = try TrustedDevices(from: directory)
            for number in 0..<TrustedDevices.maximumCount { try devices.insert(.sample("device \(number)")) }
            #expect { try devices.insert(.sample("one more")) } throws: { error in
                (error as? HandoffError)?.code == .limitReached
            }
            try devices.insert(try #require(devices.all.first))
            #expect(devices.all.count == TrustedDevices.maximumCount)
        }
    }

    @Test("Trust that cannot be stored is not granted, and a device whose removal cannot be stored remains")
    func failedWrite() async throws {
        try await EngineWorld.runReady { world, peer in
            try world.directory.path.appending(".devices.new").makeDirectory()
            await #expect { try await world.engine.trust.add(.sample("desktop")) } throws: {
                ($0 as? HandoffError)?.code == .stateUnwritable
            }
            await #expect { try await world.engine.trust.remove(peer.device.id) } throws: {
                ($0 as? HandoffError)?.code == .stateUnwritable
            }
            #expect(world.engine.read { $0.trust.devices.all } == [peer.device])
            var kept = try TrustedDevices(from: world.directory)
            try kept.setOwnIdentity(world.engine.identity, name: DeviceName("desk"))
            #expect(kept.all == [peer.device])
        }
    }

    private func withDirectory(_ body: (StateDirectory) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await StateDirectory.withDirectory(at: $0, body) }
    }
}

extension TrustedDevices.Device {
    /// A device with keys that no other device has.
    static func sample(_ name: String) throws -> Self {
        let keys = DeviceKeys.generate()
        return Self(name: try DeviceName(name), publicKeys: keys.publicKeys, advertisingKey: keys.advertisingKey)
    }
}
