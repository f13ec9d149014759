import Bluetooth
import Foundation
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The circle is kept and told", .endsWithin(minutes: 10))
struct CircleKeepingTests {
    private struct OldEntry: Codable {
        var name: String
        var publicKey: Data
        var advertisingKey: Data
    }

    @Test("the devices of the first format are read, and written in the present one")
    func migration() async throws {
        try await withDirectory { directory in
            let device = try TrustedDevices.Device.sample("laptop")
            let entry = OldEntry(
                name: "laptop",
                publicKey: Data(device.publicKey.rawRepresentation),
                advertisingKey: Data(try #require(device.advertisingKey).rawRepresentation)
            )
            try StateFile<[OldEntry]>(name: "devices", version: 1).write([entry], to: directory)
            var devices = try TrustedDevices(from: directory)
            #expect(devices.all == [device])
            try devices.rename(device.id, to: DeviceName("Travel"))
            #expect(try TrustedDevices(from: directory).all.map(\.name.rawValue) == ["Travel"])
        }
    }

    @Test("a removal gives this device another key, which is kept; its card has it")
    func rotation() async throws {
        try await EngineWorld.runReady { world, peer in
            let first = world.engine.card.advertisingKey
            try world.engine.remove(peer.device.id)
            let second = world.engine.card.advertisingKey
            #expect(first != second)
            var devices = try TrustedDevices(from: world.directory)
            try devices.setOwnIdentity(world.engine.identity, name: DeviceName("desk"))
            #expect(devices.ownKey == second)
        }
    }

    @Test("the name of the configuration counts when it changes, and else the one that a person gave")
    func names() async throws {
        try await withDirectory { directory in
            let identity = try Identity.loaded(from: directory)
            var devices = try TrustedDevices(from: directory)
            try devices.setOwnIdentity(identity, name: DeviceName("desk"))
            try devices.rename(identity.id, to: DeviceName("Kitchen"))
            var again = try TrustedDevices(from: directory)
            try again.setOwnIdentity(identity, name: DeviceName("desk"))
            #expect(again.ownName?.rawValue == "Kitchen")
            try again.setOwnIdentity(identity, name: DeviceName("bench"))
            #expect(again.ownName?.rawValue == "bench")
        }
    }

    @Test("a device that may not know the news is called once in a slot where it is heard, and not when it knows")
    func news() async throws {
        try await EngineWorld.runReady { world, peer in
            #expect(world.engine.nextCircleUpdate()?.device.id == nil)
            world.engine.receive(try peer.advertisementReport(of: "edit"))
            #expect(world.engine.nextCircleUpdate()?.device.id == peer.device.id)
            #expect(world.engine.nextCircleUpdate()?.device.id == nil)
            try world.engine.acknowledged(world.engine.circle, by: peer.device.id)
            #expect(world.engine.read { !$0.devices.hasUpdate(for: peer.device.id) })
            // That it knows is kept; that it knows otherwise is worth a call at once.
            #expect(try !TrustedDevices(from: world.directory).hasUpdate(for: peer.device.id))
            world.engine.receiveCircleDigest(world.engine.circleDigest, from: peer.device.id)
            #expect(world.engine.nextCircleUpdate()?.device.id == nil)
            world.engine.receiveCircleDigest([0, 0, 0, 0, 0, 0, 0, 0], from: peer.device.id)
            #expect(world.engine.nextCircleUpdate()?.device.id == peer.device.id)
        }
    }

    @Test("an old copy of this device's state is found out, told to the person, and put right")
    func restored() async throws {
        try await EngineWorld.runReady { world, peer in
            var others = try Circle(world.engine.circle)
            let id = world.engine.identity.id
            try others.renewKey(of: id, to: .generate())
            let before = world.engine.card.advertisingKey
            #expect(world.engine.circleAdvisories.isEmpty)
            try world.engine.merge(others.message, from: peer.device.id)
            #expect(world.engine.card.advertisingKey != before)
            #expect(try Circle(world.engine.circle)[id]?.advertisingKeyVersion == 2)
            #expect(world.engine.circleAdvisories.map(\.name) == ["identity-outdated"])
            #expect(world.effects.all.contains("identity"))
        }
    }

    @Test("what a trusted device tells is shown; what a stranger or a removed one tells is refused")
    func merging() async throws {
        try await EngineWorld.runReady { world, peer in
            let tablet = try Peer("tablet")
            var others = try Circle(world.engine.circle)
            let newcomer = DeviceIdentity(publicKey: tablet.keys.publicKey, name: try DeviceName("tablet"))
            try others.insert(newcomer, by: peer.device.id)
            try others.renewKey(of: tablet.device.id, to: tablet.keys.advertisingKey)
            #expect { try world.engine.merge(others.message, from: tablet.device.id) } throws: {
                ($0 as? HandoffError)?.code == .notTrusted
            }
            try world.engine.merge(others.message, from: peer.device.id)
            #expect(world.effects.all == ["device tablet"])
            world.engine.receive(try tablet.advertisementReport(of: "edit"))
            #expect(world.nearby.map(\.device) == [tablet.device.id])
            try others.remove(tablet.device.id)
            try world.engine.merge(others.message, from: peer.device.id)
            #expect(world.effects.all.suffix(1) == ["device removed"])
            #expect(world.nearby.isEmpty)
        }
    }

    @Test("an advertisement under this device's own key is a clone's, unless this device has said it")
    func cloned() async throws {
        try await EngineWorld.runReady { world, peer in
            _ = try world.publish("edit")
            let own = try #require(world.advertisement)
            let address = RadioAddress("C0:00:00:00:00:07/random")
            func hear(_ data: [UInt8]) {
                world.engine.receive(
                    AdvertisementReport(address: address, service: Engine.service, data: data, rssi: -60)
                )
            }
            hear(own.data)
            #expect(world.engine.circleAdvisories.isEmpty)
            let payload = AdvertisementPayload(
                hasWebpage: false,
                port: LEPSM(lowSevenBits: 0x19),
                typeHash: .withdrawal
            )
            let sealer = AdvertisementSealer(key: world.engine.card.advertisingKey, slot: Moment.now.slot)
            hear(sealer.seal(payload.encode()))
            #expect(world.engine.circleAdvisories.map(\.name) == ["identity-cloned"])
            #expect(world.effects.all.filter { $0 == "identity" }.count == 1)
            #expect(world.nearby.isEmpty)
        }
    }

    @Test("a device that leaves trusts nobody, has another key, and takes no removal along when it comes back")
    func leaving() async throws {
        try await EngineWorld.runReady { world, peer in
            let tablet = try Peer("tablet")
            try world.engine.trust(tablet.device)
            try world.engine.remove(tablet.device.id)
            let before = world.engine.card.advertisingKey
            world.effects.clear()
            try world.engine.leave()
            #expect(world.effects.all == ["device removed", "identity"])
            let after = try Circle(world.engine.circle)
            #expect(after.members.map(\.id) == [world.engine.identity.id])
            #expect(after.removals.isEmpty)
            #expect(world.engine.card.advertisingKey != before)
            #expect(try TrustedDevices(from: world.directory).contents.circle == after)
        }
    }

    @Test("while the devices are written, the rest of the engine goes on")
    func writing() async throws {
        try await EngineWorld.runReady { world, peer in
            try world.engine.changeDevices { devices throws(HandoffError) in
                try devices.rename(peer.device.id, to: DeviceName(sanitizing: "Travel"))
                world.engine.listening(at: nil)
            } then: { state, _ in
                #expect(state.port == nil)
                #expect(state.devices[peer.device.id]?.name.rawValue == "Travel")
            }
        }
    }

    @Test("what is open with a device ends when another one tells that it was removed")
    func toldRemoval() async throws {
        try await EngineWorld.runReady { world, peer in
            let tablet = try Peer("tablet")
            try world.engine.trust(tablet.device)
            var others = try Circle(world.engine.circle)
            try others.remove(tablet.device.id)
            let (engine, told, teller) = (world.engine, others.message, peer.device.id)
            do {
                try await engine.whileTrusted(tablet.device.id) {
                    try engine.merge(told, from: teller)
                    let (never, _) = AsyncStream.makeStream(of: Never.self)
                    for await _ in never {}
                    try Task.checkCancellation()
                }
                Issue.record("the tablet is trusted still")
            } catch let error as HandoffError {
                #expect(error.code == .unknownDevice)
            }
        }
    }

    private func withDirectory(_ body: (StateDirectory) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await StateDirectory.withDirectory(at: $0, body) }
    }
}
