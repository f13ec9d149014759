import AsyncSupport
import Bluetooth
import DBus
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The engine tracks nearby activities and their devices", .endsWithin(minutes: 10))
struct EngineNearbyTests {
    @Test("An advertisement of a trusted device adds an entry, and its withdrawal removes it")
    func trusted() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            world.engine.nearby.receive(try peer.advertisementReport(of: "draw"))
            world.engine.nearby.receive(try peer.advertisementReport(of: nil))
            #expect(
                world.effects.all == ["nearby added 1", "nearby removed 1", "nearby added 2", "nearby removed 2"]
            )
            #expect(world.engine.read { $0.nearby.lastSeen[peer.device.id] } != nil)
            #expect(world.nearby.isEmpty)
        }
    }

    @Test("Advertisements of unknown devices leave no trace and wake no service")
    func strangers() async throws {
        try await EngineWorld.runReady { world, _ in
            let before = (world.engine.advertising.current.version, world.engine.deadline.current.version)
            for number in 0..<200 {
                world.engine.nearby.receive(try Peer("stranger \(number)").advertisementReport(of: "edit"))
            }
            #expect(world.effects.all.isEmpty)
            #expect(world.nearby.isEmpty)
            #expect(world.engine.read { $0.nearby.lastSeen.isEmpty })
            #expect(world.engine.advertising.current.version == before.0)
            #expect(world.engine.deadline.current.version == before.1)
        }
    }

    @Test("Data of another length or of another service is not an advertisement of ours")
    func otherBytes() async throws {
        try await EngineWorld.runReady { world, peer in
            let honest = try peer.advertisementReport(of: "edit")
            let other = BluetoothUUID(number: 0x0a6dc9a1_58ee_4f39_9d1c_6e4f5ea19a01)
            for length in 0...31 {
                let data = Array((honest.data + [UInt8](repeating: 0, count: 31)).prefix(length))
                guard length != honest.data.count else { continue }
                world.engine.nearby.receive(
                    AdvertisementReport(address: honest.address, service: honest.service, data: data, rssi: nil)
                )
            }
            world.engine.nearby.receive(
                AdvertisementReport(address: honest.address, service: other, data: honest.data, rssi: nil)
            )
            #expect(world.nearby.isEmpty)
        }
    }

    @Test("An advertisement with a flipped bit counts as that of an unknown device")
    func damaged() async throws {
        try await EngineWorld.runReady { world, peer in
            let honest = try peer.advertisementReport(of: "edit")
            for bit in 0..<(honest.data.count * 8) {
                var data = honest.data
                data[bit / 8] ^= 1 << (bit % 8)
                world.engine.nearby.receive(
                    AdvertisementReport(address: honest.address, service: honest.service, data: data, rssi: nil)
                )
            }
            #expect(world.nearby.isEmpty)
        }
    }

    @Test("A device is heard as soon as it is trusted, and its entry is removed as soon as it is removed")
    func trustAndRemoval() async throws {
        try await EngineWorld.runReady { world, first in
            let second = try Peer("tablet")
            world.engine.nearby.receive(try second.advertisementReport(of: "edit"))
            #expect(world.nearby.isEmpty)
            try await world.engine.trust.add(second.device, key: second.advertisingKey)
            world.engine.nearby.receive(try second.advertisementReport(of: "edit"))
            #expect(world.nearby.map(\.device) == [second.device.id])
            try await world.engine.trust.remove(second.device.id)
            #expect(world.nearby.isEmpty)
            world.engine.nearby.receive(try second.advertisementReport(of: "edit"))
            #expect(world.nearby.isEmpty)
            #expect(
                world.effects.all == [
                    "device tablet", "circle here +1 -0", "nearby added 1", "nearby removed 1", "device removed",
                    "circle here +0 -1",
                ]
            )
            world.engine.nearby.receive(try first.advertisementReport(of: "edit"))
            #expect(world.nearby.map(\.device) == [first.device.id])
        }
    }

    @Test("A device that is trusted again is the same device with its new name")
    func trustAgain() async throws {
        try await EngineWorld.runReady { world, peer in
            let renamed = DeviceIdentity(publicKeys: peer.device.publicKeys, name: try DeviceName("new name"))
            try await world.engine.trust.add(renamed)
            #expect(world.effects.all == ["device changed new name"])
            #expect(world.trusted == [renamed])
        }
    }

    @Test("This device's own card is refused")
    func ownCard() async throws {
        try await EngineWorld.run { world in
            let keys = world.engine.identity.keys
            let own = DeviceIdentity(publicKeys: keys.publicKeys, name: world.engine.trust.name)
            await #expect { try await world.engine.trust.add(own) } throws: { ($0 as? HandoffError)?.code == .ownCard }
            #expect(world.effects.all.isEmpty)
        }
    }

    @Test("Neither trust nor a removal takes effect if it cannot be stored")
    func unwritable() async throws {
        try await EngineWorld.runReady { world, peer in
            try world.directory.path.appending(".devices.new").makeSocket()
            let other = try Peer("tablet")
            await #expect { try await world.engine.trust.add(other.device) } throws: { error in
                (error as? HandoffError)?.code == .stateUnwritable
            }
            world.engine.nearby.receive(try other.advertisementReport(of: "edit"))
            #expect(world.nearby.isEmpty)
            await #expect { try await world.engine.trust.remove(peer.device.id) } throws: { error in
                (error as? HandoffError)?.code == .stateUnwritable
            }
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            #expect(world.nearby.count == 1)
        }
    }

    @Test("A type that was continued here has a name from then on, which is shown")
    func learning() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            let entry = try #require(world.nearby.first)
            #expect(world.engine.nearby.describe(entry).type.isEmpty)
            world.engine.nearby.learn(ActivityKind(try ActivityType("org.example.edit"), team: nil))
            #expect(world.engine.nearby.describe(entry).type == "org.example.edit")
            world.engine.nearby.learn(ActivityKind(try ActivityType("org.example.edit"), team: nil))
            #expect(world.effects.all == ["nearby added 1", "nearby changed 1"])
        }
    }

    @Test("A type that a program here begins to use has a name from then on, which is shown")
    func learningFromPrograms() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            _ = try world.engine.activities.create(.sample("edit"), isEligible: true, by: ":1.1")
            #expect(world.effects.all == ["nearby added 1", "added 1", "nearby changed 1"])
        }
    }

    @Test("Access to an entry that was removed is an error with its own code")
    func staleEntry() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            let id = try #require(world.nearby.first).id
            world.engine.nearby.replace(id, by: nil)
            world.engine.nearby.replace(id, by: nil)
            #expect(world.effects.all == ["nearby added 1", "nearby removed 1"])
            #expect { try world.engine.nearby.entry(id) } throws: { ($0 as? HandoffError)?.code == .noSuchActivity }
        }
    }

    @Test("Nothing is nearby while the radio cannot be used, and access to what was there tells why")
    func radioOff() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            let id = try #require(world.nearby.first).id
            world.engine.radio.radioChanged(to: .unavailable(RadioError(.poweredOff, "switch it on")))
            #expect(world.effects.all.contains("nearby removed 1"))
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            #expect(world.nearby.isEmpty)
            #expect { try world.engine.nearby.entry(id) } throws: { ($0 as? RadioError)?.code == .poweredOff }
            #expect { try world.engine.nearby.entry(id.next) } throws: { error in
                (error as? HandoffError)?.code == .noSuchActivity
            }
            world.engine.radio.radioChanged(to: .ready(RadioDescription(name: "test")))
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            #expect(world.nearby.map(\.id) == [id.next])
            #expect { try world.engine.nearby.entry(id) } throws: { ($0 as? HandoffError)?.code == .noSuchActivity }
        }
    }
}
