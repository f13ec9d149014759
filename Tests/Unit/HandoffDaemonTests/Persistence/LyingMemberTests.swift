import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("What a lying member tells of others changes no key and stays unnoticed nowhere", .endsWithin(minutes: 10))
struct LyingMemberTests {
    @Test("Only a device itself tells its key, and who tells another's key as its own takes nothing away")
    func replacedKey() async throws {
        var random = SeededRandom(seed: 40)
        let plaintexts = (0..<100).map { _ in random.bytes(AdvertisementSealer.plaintextBytes) }
        let onModel = Self.countReadOnModel(plaintexts, try AdvertisingKey(rawRepresentation: random.bytes(32)))
        try await EngineWorld.runReady { world, peer in
            let liar = try Peer("lost")
            try await world.engine.trust.add(liar.device)
            let before = world.engine.read { $0.trust.devices.receivingKeys.first { $0.0 == peer.device.id }?.1 }
            // What it says of the peer, and the key that it knows of the peer, as its own.
            try await world.engine.trust.receive(
                liar.message([
                    .name(author: liar.device.id, peer.device.id, version: .max, "lost"),
                    .add(author: liar.device.id, peer.device.publicKeys, name: "lost"),
                ]),
                from: liar.device.id
            )
            var stolen = liar.message([])
            stolen.advertisingKey = peer.advertisingKey.rawRepresentation
            try await world.engine.trust.receive(stolen, from: liar.device.id)
            let here = try (0..<100).count { number in
                world.engine.nearby.receive(try peer.advertisementReport(of: "edit\(number)", UInt16(number)))
                let hash = try ActivityType("org.example.edit\(number)").hash
                return world.nearby.contains { $0.device == peer.device.id && $0.typeHash == hash }
            }
            let after = world.engine.read { $0.trust.devices.receivingKeys.first { $0.0 == peer.device.id }?.1 }
            #expect(before == after)
            measured(
                .replacedKey,
                onModel: "\(onModel) of 100 of its advertisements are read",
                here: "\(here) of 100"
            )
        }
    }

    /// How many advertisements of a device another one reads by whose copy a liar has told a key for it; afterwards the
    /// two devices have merged their copies, and the device has corrected its key.
    private static func countReadOnModel(_ plaintexts: [[UInt8]], _ key: AdvertisingKey) -> Int {
        var (owner, reader) = (CountedCircle(0..<3), CountedCircle(0..<3))
        owner.renewKey(of: 0, to: key.rawRepresentation)
        var lie = CountedCircle(0..<3)
        var member = CountedCircle.Member()
        (member.key, member.keyVersion) = ([UInt8](repeating: 0xFF, count: 32), CountedCircle.maximumNumber)
        lie.states[0] = .member(member)
        try? reader.merge(lie)
        for _ in 0..<3 {
            try? owner.merge(reader)
            owner.renewKey(of: 0, to: key.rawRepresentation)
            try? reader.merge(owner)
        }
        guard let bytes = reader[0]?.key, let known = try? AdvertisingKey(rawRepresentation: bytes) else { return 0 }
        return plaintexts.count { plaintext in
            var opener = AdvertisementOpener(keys: [(0, known)])
            return opener.open(AdvertisementSealer(key: key, slot: 1).seal(plaintext), slot: 1) != nil
        }
    }

    @Test("No file is written for another digest alone, only for what is new in a circle or of its keys")
    func digests() async throws {
        try await EngineWorld.runReady { world, peer in
            let known = peer.message([])
            try await world.engine.trust.receive(known, from: peer.device.id)
            let before = try CircleFile.read(from: world.directory, for: world.engine.identity, at: Moment.now.slot)
            var random = SeededRandom(seed: 41)
            for _ in 0..<10 {
                var message = known
                message.digest = random.bytes(32)
                try await world.engine.trust.receive(message, from: peer.device.id)
            }
            let after = try CircleFile.read(from: world.directory, for: world.engine.identity, at: Moment.now.slot)
            #expect(after == before)
            let name = CircleStatement.name(author: peer.device.id, peer.device.id, version: 7, "another")
            try await world.engine.trust.receive(peer.message([name]), from: peer.device.id)
            let changed = try CircleFile.read(from: world.directory, for: world.engine.identity, at: Moment.now.slot)
            #expect(changed != before)
        }
    }

    @Test("The devices that it brings are reported one by one, and go with it")
    func accomplices() async throws {
        var circle = CountedCircle(0..<3)
        var lie = CountedCircle(0..<3)
        for device in 10..<13 { lie.states[device] = .member(.init()) }
        // Version 1 wrote a line into its log, and told no user.
        let reportedOnModel = 0
        try circle.merge(lie)
        try circle.remove(2)
        let onModel = (10..<13).count { circle.trusts($0) }

        try await EngineWorld.runReady { world, peer in
            let liar = try Peer("lost")
            try await world.engine.trust.add(liar.device)
            let accomplices = try (0..<3).map { try Peer("accomplice \($0)") }
            world.effects.clear()
            for accomplice in accomplices {
                let addition = CircleStatement.add(
                    author: liar.device.id,
                    accomplice.device.publicKeys,
                    name: accomplice.device.name.rawValue
                )
                try await world.engine.trust.receive(liar.message([addition]), from: liar.device.id)
            }
            // `circle` is the effect that notifies the user.
            let reported = world.effects.all.count { $0 == "circle +1 -0 ?0" }
            let brought = world.engine.trust.consequences(ofRemoving: liar.device.id).orphans.map(\.id)
            #expect(Set(brought) == Set(accomplices.map(\.device.id)))
            try await world.engine.trust.remove(liar.device.id)
            let here = world.trusted.count { device in accomplices.contains { $0.device == device } }
            #expect(world.trusted == [peer.device])
            measured(
                .accomplices,
                onModel: "\(onModel) of 3 stay trusted, \(reportedOnModel) are reported",
                here: "\(here) of 3 stay trusted, \(reported) are reported"
            )
        }
    }
}
