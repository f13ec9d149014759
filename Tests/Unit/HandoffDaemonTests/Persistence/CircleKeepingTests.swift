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
    @Test("A file of an older format is an error that says what to do, and remains unchanged", arguments: [1, 2])
    func olderFormat(version: Int) async throws {
        try await withDirectory { directory in
            let identity = try await Identity.loaded(from: directory)
            try await StateFile<[String]>(name: "devices", version: version).write([], to: directory)
            let bytes = try directory.path.appending("devices").contents
            #expect { try CircleFile.read(from: directory, for: identity, at: 1) } throws: { error in
                let error = error as? HandoffError
                return error?.code == .stateUnreadable && error?.message.contains("to start again") == true
            }
            #expect(try directory.path.appending("devices").contents == bytes)
        }
    }

    @Test("A removal gives this device another key, which is stored")
    func rotation() async throws {
        try await EngineWorld.runReady { world, peer in
            let first = world.ownKey
            try await world.engine.trust.remove(peer.device.id)
            let second = world.ownKey
            #expect(first != second)
            #expect(try world.kept().ownKey == second)
        }
    }

    @Test("The configured name counts when it changes, and otherwise the one that a user gave")
    func names() async throws {
        try await withDirectory { directory in
            let identity = try await Identity.loaded(from: directory)
            var devices = try TrustedDevices(from: directory, for: identity, named: DeviceName("desk"), at: 1)
            try devices.rename(identity.id, to: DeviceName("Kitchen"))
            try await CircleFile.write(devices.contents, to: directory)
            let again = try TrustedDevices(from: directory, for: identity, named: DeviceName("desk"), at: 1)
            #expect(again.ownName.rawValue == "Kitchen")
            let changed = try TrustedDevices(from: directory, for: identity, named: DeviceName("bench"), at: 1)
            #expect(changed.ownName.rawValue == "bench")
        }
    }

    @Test(
        "A device that has told something new is called for three more invitations, and not if it tells the same again"
    )
    func invitedWithNews() async throws {
        try await EngineWorld.runReady { world, peer in
            let id = peer.device.id
            func isCalled(_ second: Int64) -> Bool {
                let time = Moment(
                    uptime: .seconds(second),
                    unixMicroseconds: 1_800_000_000_000_000 + second * 1_000_000
                )
                return world.engine.edit {
                    $0.sessions.recordInvitation(by: id, at: time)
                    return $0.sessions.shouldUpdate(id, hasUpdate: false, at: time)
                }
            }
            #expect([0, 10, 20, 30].map(isCalled) == [true, true, true, false])
            let message = peer.message([], knowing: world.ownKey.id)
            try await world.engine.trust.receive(message, from: id)
            #expect([40, 50, 60, 70].map(isCalled) == [true, true, true, false])
            try await world.engine.trust.receive(message, from: id)
            #expect(!isCalled(80))
        }
    }

    @Test("A device that may lack a circle update is called once in a slot where it is heard, else not at all")
    func news() async throws {
        try await EngineWorld.runReady { world, peer in
            #expect(world.engine.sessions.nextCircleUpdate()?.id == nil)
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            #expect(world.engine.sessions.nextCircleUpdate()?.id == peer.device.id)
            #expect(world.engine.sessions.nextCircleUpdate()?.id == nil)
            let (trust, digest) = (world.engine.trust, world.engine.trust.circleDigest)
            try await trust.receive(peer.message([], knowing: world.ownKey.id), from: peer.device.id)
            try await trust.completeExchange(with: peer.device.id, sent: digest, theirs: digest)
            #expect(world.engine.read { !$0.trust.devices.hasUpdate(for: peer.device.id) })
            // Its acknowledgement is stored; another digest of it causes a call at once.
            #expect(try !world.kept().hasUpdate(for: peer.device.id))
            world.engine.trust.receiveDigest(world.engine.trust.circleDigest, from: peer.device.id)
            #expect(world.engine.sessions.nextCircleUpdate()?.id == nil)
            world.engine.trust.receiveDigest([0, 0, 0, 0, 0, 0, 0, 1], from: peer.device.id)
            #expect(world.engine.sessions.nextCircleUpdate()?.id == peer.device.id)
        }
    }

    @Test("An old copy of this device's state is detected, reported to the user, and gets a new key")
    func restored() async throws {
        try await EngineWorld.runReady { world, peer in
            let before = world.ownKey
            #expect(world.engine.trust.advisories.isEmpty)
            try await world.engine.trust.receive(peer.message([], knowing: before.id), from: peer.device.id)
            #expect(world.engine.trust.advisories.isEmpty)
            // A later state of this device had more keys.
            let unknown = KeyIdentifierSource(world.engine.identity.keys).identifier(of: 9)
            try await world.engine.trust.receive(peer.message([], knowing: unknown), from: peer.device.id)
            #expect(world.ownKey.id != before.id)
            #expect(world.engine.trust.advisories.map(\.name) == ["identity-outdated"])
            #expect(world.effects.all.contains("identity"))
        }
    }

    @Test("The statements of a trusted device are taken in and shown; those of an unknown or removed one are refused")
    func merging() async throws {
        try await EngineWorld.runReady { world, peer in
            let tablet = try Peer("tablet")
            let addition = CircleStatement.add(author: peer.device.id, tablet.device.publicKeys, name: "tablet")
            await #expect { try await world.engine.trust.receive(tablet.message([]), from: tablet.device.id) } throws: {
                ($0 as? HandoffError)?.code == .notTrusted
            }
            try await world.engine.trust.receive(peer.message([addition]), from: peer.device.id)
            #expect(world.effects.all == ["device tablet", "circle +1 -0 ?0"])
            try await world.engine.trust.receive(tablet.message([]), from: tablet.device.id)
            world.engine.nearby.receive(try tablet.advertisementReport(of: "edit"))
            #expect(world.nearby.map(\.device) == [tablet.device.id])
            world.effects.clear()
            let removal = CircleStatement.remove(author: peer.device.id, tablet.device.id)
            try await world.engine.trust.receive(peer.message([removal]), from: peer.device.id)
            #expect(world.effects.all == ["nearby removed 1", "device removed", "circle +0 -1 ?0"])
            #expect(world.nearby.isEmpty)
        }
    }

    @Test("A device that only a removed one has brought is a question, which the user answers")
    func question() async throws {
        try await EngineWorld.runReady { world, peer in
            let tablet = try Peer("tablet")
            let addition = CircleStatement.add(author: peer.device.id, tablet.device.publicKeys, name: "tablet")
            try await world.engine.trust.receive(peer.message([addition]), from: peer.device.id)
            #expect(world.engine.trust.consequences(ofRemoving: peer.device.id).orphans.map(\.id) == [tablet.device.id])
            try await world.engine.trust.remove(peer.device.id)
            #expect(world.trusted.isEmpty)
            #expect(world.engine.trust.questions.map(\.standing) == [.orphaned(broughtBy: [peer.device.id])])
            try await world.engine.trust.keep(tablet.device.id)
            #expect(world.trusted == [tablet.device])
            #expect(world.engine.trust.questions.isEmpty)
        }
    }

    @Test("A message without the statements says that the other device has the same")
    func statementsLeftOut() async throws {
        try await EngineWorld.runReady { world, peer in
            let (trust, digest) = (world.engine.trust, world.engine.trust.circleDigest)
            let (short, whole) = (
                try trust.message(for: peer.device.id, knowing: digest),
                try trust.message(for: peer.device.id, knowing: nil)
            )
            #expect(short.statements == nil)
            #expect(whole.statements?.count == 2)
            #expect { try trust.message(for: Peer("tablet").device.id, knowing: nil) } throws: {
                ($0 as? HandoffError)?.code == .notTrusted
            }
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
                port: LEPSM(lowFiveBits: 0x19),
                typeHash: nil,
                number: AdvertisementNumber(slot: 1, lowNineBits: 1)
            )
            func foreign(_ slot: UInt64) throws -> [UInt8] {
                let key = SealingKey.daily(world.ownKey.daily)
                return try #require(AdvertisementSealer(key: key, slot: slot)).seal(payload.encode())
            }
            for slot in [Moment.now.slot - 1, Moment.now.slot] { hear(try foreign(slot)) }
            #expect(world.engine.trust.advisories.isEmpty, "it may have been sent before the start")
            hear(try foreign(Moment.now.slot + 1))
            hear(try foreign(Moment.now.slot + 1))
            #expect(world.engine.trust.advisories.map(\.name) == ["own-key-heard"])
            let message = world.engine.trust.advisories.first?.message ?? ""
            for word in ["copy", "delete"] { #expect(!message.contains(word)) }
            #expect(world.effects.all.filter { $0 == "identity" }.count == 1)
            #expect(world.nearby.isEmpty)
        }
    }

    @Test("A device that leaves trusts no device, and is another device with another key, also after a restart")
    func leaving() async throws {
        try await EngineWorld.runReady { world, peer in
            let (before, key) = (world.engine.identity.id, world.ownKey)
            world.effects.clear()
            try await world.engine.trust.leave()
            #expect(world.effects.all == ["device removed", "identity", "left the circle"])
            #expect(world.trusted.isEmpty)
            #expect(world.engine.identity.id != before)
            #expect(world.ownKey.id != key.id)
            #expect(world.engine.trust.name.rawValue == "desk")
            #expect(try await Identity.loaded(from: world.directory).id == world.engine.identity.id)
            #expect(try world.kept().contents == world.engine.read(\.trust.devices.contents))
            // It can be trusted again, and trust the same devices again.
            try await world.engine.trust.add(peer.device)
            #expect(world.trusted == [peer.device])
        }
    }

    @Test("A device that leaves forgets its pairings, also those with devices that it does not trust")
    func leavingPairings() async throws {
        try await EngineWorld.runReady { world, _ in
            let record = PairingRecord(
                id: try #require(PairingID(bytes: [UInt8](repeating: 7, count: 8))),
                peer: try Peer("phone").device,
                settlingKey: .generate(),
                status: .unconfirmed,
                began: Moment.now.unixMicroseconds
            )
            try await world.engine.pairings.keep(record)
            // The file cannot be replaced, so that the device stays what it is.
            let draft = world.directory.path.appending(".pairings.new")
            try draft.makePipe()
            let (engine, id) = (world.engine, world.engine.identity.id)
            async let outcome = Self.outcome { try await engine.trust.leave() }
            _ = try await draft.readPipe()
            #expect(await outcome == .stateUnwritable)
            #expect(try await Identity.loaded(from: world.directory).id == id)
            try draft.removeFile()
            try await world.engine.trust.leave()
            #expect(world.engine.read(\.kept.pairings).all.isEmpty)
        }
    }

    @Test("A device does not leave its circle while it pairs under its identity")
    func leavingWhilePairing() async throws {
        try await EngineWorld.runReady { world, _ in
            let id = world.engine.identity.id
            var random = SystemRandomNumberGenerator()
            let listener = Engine.PairingListener(onAdvertisement: { _, _ in }, onReconciled: { _ in })
            world.engine.pairings.begin(.random(using: &random), at: .sample, listener)
            let engine = world.engine
            #expect(await Self.outcome { try await engine.trust.leave() } == .limitReached)
            #expect(world.engine.identity.id == id)
            world.engine.pairings.end()
            try await world.engine.trust.leave()
            #expect(world.engine.identity.id != id)
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
            #expect(try world.kept().all.map(\.id).sorted() == expected)
        }
    }

    @Test("The time at which a device was last heard is stored to the hour")
    func lastSeen() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            try await world.engine.trust.persistLastSeen()
            let kept = try #require(try world.kept().lastSeen(peer.device.id))
            #expect(kept % 3_600_000_000 == 0)
            #expect((0..<3_600_000_000).contains(Moment.now.unixMicroseconds - kept))
        }
    }

    @Test("An open operation with a device ends when another device reports its removal")
    func toldRemoval() async throws {
        try await EngineWorld.runReady { world, peer in
            let tablet = try Peer("tablet")
            try await world.engine.trust.add(tablet.device)
            let removal = CircleStatement.remove(author: peer.device.id, tablet.device.id)
            let (engine, update, sender) = (world.engine, peer.message([removal]), peer.device.id)
            do {
                try await engine.trust.whileTrusted(tablet.device.id) {
                    try await engine.trust.receive(update, from: sender)
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
