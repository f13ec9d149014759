import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("What a member that lies cannot make a device believe", .endsWithin(minutes: 10))
struct MemberBeliefTests {
    @Test("A device that was brought with the agreement key of another one is not taken for it")
    func borrowedAgreementKey() async throws {
        try await EngineWorld.runReady { world, honest in
            let liar = try Peer("liar")
            try await world.engine.trust.add(liar.device)
            let forged = try DevicePublicKeys(
                agreement: honest.keys.publicKeys.agreement,
                signing: liar.keys.publicKeys.signing
            )
            // Devices are tried by name.
            let addition = CircleStatement.add(author: liar.device.id, forged, name: "a")
            try await world.engine.trust.receive(liar.message([addition]), from: liar.device.id)
            #expect(world.trusted.map(\.id).contains(forged.device))

            var listener = world.engine.read { ServerSession(trial: $0.trust.trial) }
            var caller = ClientSession(
                keys: honest.keys,
                peer: world.engine.identity.keys.publicKeys,
                request: .circle(CircleRequest(digest: world.engine.trust.circleDigest))
            )
            let first = try #require(try caller.open(listener.greeting))
            #expect(try listener.receiveRequest(first)?.device == honest.device.id)
        }
    }

    @Test("A made-up identifier of this device's key is no proof of a copy of its state")
    func madeUpKeyIdentifier() async throws {
        try await EngineWorld.runReady { world, liar in
            let key = world.ownKey
            let madeUp = AdvertisingKeyRecord.generate(day: 1).id
            try await world.engine.trust.receive(liar.message([], knowing: madeUp), from: liar.device.id)
            #expect(world.engine.trust.advisories.isEmpty)
            #expect(world.ownKey == key)
        }
    }

    @Test("A device that was away while many keys were replaced has proof of nothing")
    func longAway() async throws {
        try await EngineWorld.runReady { world, away in
            let first = world.ownKey
            for number in 0..<20 {
                let other = try Peer("device \(number)")
                try await world.engine.trust.add(other.device)
                if number > 2 { continue }
                try await world.engine.trust.remove(other.device.id)
            }
            try await world.engine.trust.receive(away.message([], knowing: first.id), from: away.device.id)
            #expect(world.engine.trust.advisories.isEmpty)
        }
    }

    @Test("A key that was told in a pairing and never used is no proof of a copy, nor is any earlier key")
    func unusedKey() async throws {
        try await EngineWorld.runReady { world, peer in
            let told = world.engine.pairings.newLocalIdentity().advertisingKey
            let record = PairingRecord(
                id: try #require(PairingID(bytes: [UInt8](repeating: 7, count: 8))),
                peer: peer.device,
                settlingKey: .generate(),
                status: .unconfirmed,
                began: Moment.now.unixMicroseconds
            )
            try await world.engine.pairings.keep(record)
            var earlier = [world.ownKey.id]
            try await world.engine.trust.receive(peer.message([], knowing: told.id), from: peer.device.id)
            #expect(world.engine.trust.advisories.isEmpty)
            for name in ["phone", "tablet"] {
                earlier.append(world.ownKey.id)
                try await world.engine.trust.add(Peer(name).device)
            }
            let key = world.ownKey
            for id in earlier {
                try await world.engine.trust.receive(peer.message([], knowing: id), from: peer.device.id)
            }
            #expect(world.engine.trust.advisories.isEmpty)
            #expect(world.ownKey == key)
        }
    }

    @Test("A trusted device that asks how its pairing ended is told the key in use")
    func settledKey() async throws {
        try await EngineWorld.runReady { world, peer in
            let request = SettleRequest(pairing: [UInt8](repeating: 1, count: 8), isConfirmed: true)
            let answer = world.engine.pairings.answer(to: request, from: peer.device.id).answer
            guard case .settled(let told) = answer else {
                Issue.record("not settled")
                return
            }
            #expect(told == world.ownKey.rawRepresentation)
        }
    }
}
