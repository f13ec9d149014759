import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The answer to the question how a pairing ended", .endsWithin(minutes: 10))
struct ReconciliationAnswerTests {
    @Test("An acknowledged BUSY decides nothing: the user here may still confirm")
    func busy() async throws {
        try await EngineWorld.runReady { world, _ in
            let peer = try Peer("tablet")
            let record = PairingRecord(
                id: try #require(PairingID(bytes: [UInt8](repeating: 7, count: 8))),
                peer: DeviceIdentity(publicKeys: peer.keys.publicKeys, name: try DeviceName("tablet")),
                settlingKey: .generate(),
                status: .notPaired,
                began: Moment.now.unixMicroseconds
            )
            let pairings = world.engine.pairings
            let listener = Engine.PairingListener { _, _ in
            } onReconciled: { _ in
            }
            pairings.begin(try PairingToken(bytes: [UInt8](repeating: 1, count: 9)), at: .sample, listener)
            try await pairings.keep(record)
            let request = SettleRequest(pairing: record.id.bytes, isConfirmed: true)

            let busy = pairings.answer(to: request, from: peer.device.id)
            #expect(busy.answer == .refusal(Refusal(.busy, "The digits are still being compared here.")))
            #expect(busy.outcome == nil)

            pairings.abandon(record.id)
            let decided = pairings.answer(to: request, from: peer.device.id)
            #expect(decided.outcome?.request == request)
            try await pairings.reconcile(try #require(decided.outcome), with: peer.device.id, key: nil)
            #expect(world.engine.read { $0.pairing.records.all } == [])
        }
    }

    /// A pairing with a device whose digits are about to be shown.
    private static func record(with device: DeviceIdentity, _ status: PairingRecord.Status) throws -> PairingRecord {
        PairingRecord(
            id: try #require(PairingID(bytes: [UInt8](repeating: 7, count: 8))),
            peer: device,
            settlingKey: .generate(),
            status: status,
            began: Moment.now.unixMicroseconds
        )
    }

    @Test("A pairing with a device that was removed for good is refused before its digits are shown")
    func removed() async throws {
        try await EngineWorld.runReady { world, peer in
            try await world.engine.trust.remove(peer.device.id)
            let record = try Self.record(with: peer.device, .notPaired)
            await #expect { try await world.engine.pairings.keep(record) } throws: { error in
                (error as? HandoffError)?.code == .deviceRemoved
            }
            #expect(world.engine.read { $0.pairing.records.all } == [])
        }
    }

    @Test("A device that is paired, and tells no key, is not trusted, and can tell one later")
    func noKey() async throws {
        try await EngineWorld.runReady { world, _ in
            let (tablet, pairings) = (try Peer("tablet"), world.engine.pairings)
            let record = try Self.record(with: tablet.device, .unconfirmed)
            try await pairings.keep(record)
            let request = SettleRequest(pairing: record.id.bytes, isConfirmed: true)
            let outcome = try #require(pairings.answer(to: request, from: tablet.device.id).outcome)
            await #expect { try await pairings.reconcile(outcome, with: tablet.device.id, key: nil) } throws: { error in
                (error as? HandoffError)?.code == .peerMisbehaved
            }
            #expect(!world.trusted.contains { $0.id == tablet.device.id })
            #expect(world.engine.read { $0.pairing.records.all.map(\.status) } == [.unconfirmed])
            let key = tablet.advertisingKey.rawRepresentation
            try await pairings.reconcile(outcome, with: tablet.device.id, key: key)
            #expect(world.trusted.contains { $0.id == tablet.device.id })
        }
    }

    @Test("The side that has asked keeps the pairing until the other one has said that it has saved the outcome")
    func concluded() async throws {
        try await EngineWorld.runReady { world, _ in
            let (tablet, pairings) = (try Peer("tablet"), world.engine.pairings)
            let record = try Self.record(with: tablet.device, .unconfirmed)
            try await pairings.keep(record)
            let answer = Answer.settled(advertisingKey: tablet.advertisingKey.rawRepresentation)
            try await pairings.reconcile(record, by: answer, toldKey: pairings.newLocalIdentity().advertisingKey)
            #expect(world.trusted.contains { $0.id == tablet.device.id })
            #expect(world.engine.read { $0.pairing.records.all.map(\.status) } == [.paired])
            try await pairings.conclude(record)
            #expect(world.engine.read { $0.pairing.records.all } == [])
        }
    }

    @Test("An exchange of circles proves that the other device trusts this one, and ends the questions about it")
    func exchanged() async throws {
        try await EngineWorld.runReady { world, peer in
            try await world.engine.pairings.keep(try Self.record(with: peer.device, .paired))
            let digest = [UInt8](repeating: 0, count: 32)
            try await world.engine.trust.completeExchange(with: peer.device.id, sent: digest, theirs: digest)
            #expect(world.engine.read { $0.pairing.records.all } == [])
        }
    }
}
