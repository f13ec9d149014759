import Bluetooth
import Foundation
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The circle is stored and exchanged", .endsWithin(minutes: 10))
struct CircleKeepingTests {
    private struct OldEntry: Codable {
        var name: String
        var publicKey: Data
        var advertisingKey: Data
    }

    @Test("The devices of the first file format are read, and written in the present one")
    func migration() async throws {
        try await withDirectory { directory in
            let device = try TrustedDevices.Device.sample("laptop")
            let entry = OldEntry(
                name: "laptop",
                publicKey: Data(device.publicKey.rawRepresentation),
                advertisingKey: Data(try #require(device.advertisingKey).rawRepresentation)
            )
            try await StateFile<[OldEntry]>(name: "devices", version: 1).write([entry], to: directory)
            var devices = try TrustedDevices(from: directory)
            #expect(devices.all == [device])
            try devices.rename(device.id, to: DeviceName("Travel"))
            try await CircleFile.write(devices.contents, to: directory)
            #expect(try TrustedDevices(from: directory).all.map(\.name.rawValue) == ["Travel"])
        }
    }

    @Test("A removal gives this device another key, which is stored and is in its card")
    func rotation() async throws {
        try await EngineWorld.runReady { world, peer in
            let first = world.engine.trust.card.advertisingKey
            try await world.engine.trust.remove(peer.device.id)
            let second = world.engine.trust.card.advertisingKey
            #expect(first != second)
            var devices = try TrustedDevices(from: world.directory)
            try devices.setOwnIdentity(world.engine.identity, name: DeviceName("desk"))
            #expect(devices.ownKey == second)
        }
    }

    @Test("The configured name counts when it changes, and otherwise the one that a user gave")
    func names() async throws {
        try await withDirectory { directory in
            let identity = try await Identity.loaded(from: directory)
            var devices = try TrustedDevices(from: directory)
            try devices.setOwnIdentity(identity, name: DeviceName("desk"))
            try devices.rename(identity.id, to: DeviceName("Kitchen"))
            try await CircleFile.write(devices.contents, to: directory)
            var again = try TrustedDevices(from: directory)
            try again.setOwnIdentity(identity, name: DeviceName("desk"))
            #expect(again.ownName?.rawValue == "Kitchen")
            try again.setOwnIdentity(identity, name: DeviceName("bench"))
            #expect(again.ownName?.rawValue == "bench")
        }
    }

    @Test("A device that may lack a circle update is called once in a slot where it is heard, else not at all")
    func news() async throws {
        try await EngineWorld.runReady { world, peer in
            #expect(world.engine.sessions.nextCircleUpdate()?.id == nil)
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            #expect(world.engine.sessions.nextCircleUpdate()?.id == peer.device.id)
            #expect(world.engine.sessions.nextCircleUpdate()?.id == nil)
            try await world.engine.trust.acknowledged(world.engine.trust.circle, by: peer.device.id)
            #expect(world.engine.read { !$0.trust.devices.hasUpdate(for: peer.device.id) })
            // Its acknowledgement is stored; another digest of it causes a call at once.
            #expect(try !TrustedDevices(from: world.directory).hasUpdate(for: peer.device.id))
            world.engine.trust.receiveDigest(world.engine.trust.circleDigest, from: peer.device.id)
            #expect(world.engine.sessions.nextCircleUpdate()?.id == nil)
            world.engine.trust.receiveDigest([0, 0, 0, 0, 0, 0, 0, 0], from: peer.device.id)
            #expect(world.engine.sessions.nextCircleUpdate()?.id == peer.device.id)
        }
    }

    @Test("An old copy of this device's state is detected, reported to the user, and corrected")
    func restored() async throws {
        try await EngineWorld.runReady { world, peer in
            var others = try Circle(world.engine.trust.circle)
            let id = world.engine.identity.id
            try others.renewKey(of: id, to: .generate())
            let before = world.engine.trust.card.advertisingKey
            #expect(world.engine.trust.advisories.isEmpty)
            try await world.engine.trust.merge(others.message, from: peer.device.id)
            #expect(world.engine.trust.card.advertisingKey != before)
            #expect(try Circle(world.engine.trust.circle)[id]?.advertisingKeyVersion == 2)
            #expect(world.engine.trust.advisories.map(\.name) == ["identity-outdated"])
            #expect(world.effects.all.contains("identity"))
        }
    }

    @Test("The circle of a trusted device is merged and shown; that of an unknown or removed one is refused")
    func merging() async throws {
        try await EngineWorld.runReady { world, peer in
            let tablet = try Peer("tablet")
            var others = try Circle(world.engine.trust.circle)
            let identity = DeviceIdentity(publicKey: tablet.keys.publicKey, name: try DeviceName("tablet"))
            try others.insert(identity, by: peer.device.id)
            try others.renewKey(of: tablet.device.id, to: tablet.keys.advertisingKey)
            await #expect { try await world.engine.trust.merge(others.message, from: tablet.device.id) } throws: {
                ($0 as? HandoffError)?.code == .notTrusted
            }
            try await world.engine.trust.merge(others.message, from: peer.device.id)
            #expect(world.effects.all == ["device tablet"])
            world.engine.nearby.receive(try tablet.advertisementReport(of: "edit"))
            #expect(world.nearby.map(\.device) == [tablet.device.id])
            try others.remove(tablet.device.id)
            try await world.engine.trust.merge(others.message, from: peer.device.id)
            #expect(world.effects.all.suffix(1) == ["device removed"])
            #expect(world.nearby.isEmpty)
        }
    }

    @Test("An advertisement under this device's own key that it has not sent is reported, and is no reason to delete")
    func ownKey() async throws {
        try await EngineWorld.runReady { world, peer in
            _ = try world.publish("edit")
            let own = try #require(world.advertisement)
            let address = RadioAddress("C0:00:00:00:00:07/random")
            func hear(_ data: [UInt8]) {
                world.engine.nearby.receive(
                    AdvertisementReport(address: address, service: Engine.service, data: data, rssi: -60)
                )
            }
            hear(own.data)
            #expect(world.engine.trust.advisories.isEmpty)
            let payload = AdvertisementPayload(
                hasWebpage: false,
                port: LEPSM(lowSevenBits: 0x19),
                activity: nil
            )
            func foreign(_ slot: UInt64) -> [UInt8] {
                AdvertisementSealer(key: world.engine.trust.card.advertisingKey, slot: slot).seal(payload.encode())
            }
            for slot in [Moment.now.slot - 1, Moment.now.slot] { hear(foreign(slot)) }
            #expect(world.engine.trust.advisories.isEmpty, "it may have been sent before the start")
            hear(foreign(Moment.now.slot + 1))
            hear(foreign(Moment.now.slot + 1))
            #expect(world.engine.trust.advisories.map(\.name) == ["own-key-heard"])
            let message = world.engine.trust.advisories.first?.message ?? ""
            for word in ["copy", "delete"] { #expect(!message.contains(word)) }
            #expect(world.effects.all.filter { $0 == "identity" }.count == 1)
            #expect(world.nearby.isEmpty)
        }
    }

    @Test("A device that leaves trusts no device, has another key, and takes no removal along when it comes back")
    func leaving() async throws {
        try await EngineWorld.runReady { world, peer in
            let tablet = try Peer("tablet")
            try await world.engine.trust.add(tablet.device)
            try await world.engine.trust.remove(tablet.device.id)
            let before = world.engine.trust.card.advertisingKey
            world.effects.clear()
            try await world.engine.trust.leave()
            #expect(world.effects.all == ["device removed", "identity"])
            let after = try Circle(world.engine.trust.circle)
            #expect(after.members.map(\.id) == [world.engine.identity.id])
            #expect(after.removals.isEmpty)
            #expect(world.engine.trust.card.advertisingKey != before)
            #expect(try TrustedDevices(from: world.directory).contents.circle == after)
        }
    }

    @Test("A disk that does not answer delays the change that it has to keep, and nothing else")
    func slowDisk() async throws {
        try await EngineWorld.runReady { world, peer in
            let draft = world.directory.path.appending(".devices.new")
            try draft.makePipe()
            let engine = world.engine
            async let outcome = Self.outcome { try await engine.trust.rename(peer.device.id, to: DeviceName("Travel")) }
            let id = try world.publish("edit")
            engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            #expect(world.nearby.map(\.device) == [peer.device.id])
            #expect(engine.read { $0.origin.current?.id } == id)
            #expect(engine.trust.device(peer.device.id)?.name.rawValue == "laptop")
            // A pipe takes the bytes once it is read, and cannot be synchronised: the write fails.
            let written = try await draft.readPipe()
            #expect(String(decoding: written, as: UTF8.self).hasPrefix("handoffd devices"))
            #expect(await outcome == .stateUnwritable)
            #expect(engine.trust.device(peer.device.id)?.name.rawValue == "laptop")
            try draft.removeFile()
            try await engine.trust.rename(peer.device.id, to: DeviceName("Travel"))
            #expect(engine.trust.device(peer.device.id)?.name.rawValue == "Travel")
        }
    }

    @Test("Changes of the devices that are made at the same time are all kept")
    func concurrentChanges() async throws {
        try await EngineWorld.runReady { world, peer in
            let tablets = try (0..<8).map { try Peer("tablet \($0)") }
            let engine = world.engine
            try await withThrowingDiscardingTaskGroup { group in
                for tablet in tablets { group.addTask { try await engine.trust.add(tablet.device) } }
                group.addTask { try await engine.trust.remove(peer.device.id) }
            }
            let expected = tablets.map(\.device.id).sorted()
            #expect(engine.read { $0.trust.devices.all.map(\.id).sorted() } == expected)
            var kept = try TrustedDevices(from: world.directory)
            try kept.setOwnIdentity(engine.identity, name: DeviceName("desk"))
            #expect(kept.all.map(\.id).sorted() == expected)
        }
    }

    @Test("The time at which a device was last heard is stored to the hour")
    func lastSeen() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            try await world.engine.trust.persistLastSeen()
            let kept = try #require(try TrustedDevices(from: world.directory).lastSeen(peer.device.id))
            #expect(kept % 3_600_000_000 == 0)
            #expect((0..<3_600_000_000).contains(Moment.now.unixMicroseconds - kept))
        }
    }

    @Test("An open operation with a device ends when another device reports its removal")
    func toldRemoval() async throws {
        try await EngineWorld.runReady { world, peer in
            let tablet = try Peer("tablet")
            try await world.engine.trust.add(tablet.device)
            var others = try Circle(world.engine.trust.circle)
            try others.remove(tablet.device.id)
            let (engine, update, sender) = (world.engine, others.message, peer.device.id)
            do {
                try await engine.trust.whileTrusted(tablet.device.id) {
                    try await engine.trust.merge(update, from: sender)
                    let (never, _) = AsyncStream.makeStream(of: Never.self)
                    for await _ in never {}
                    try Task.checkCancellation()
                }
                Issue.record("the tablet is still trusted")
            } catch let error as HandoffError {
                #expect(error.code == .unknownDevice)
            }
        }
    }

    private static func outcome(of body: () async throws -> Void) async -> HandoffError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? HandoffError)?.code
        }
    }

    private func withDirectory(_ body: (StateDirectory) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await StateDirectory.withDirectory(at: $0, body) }
    }
}
