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
            let key = peer.advertisingKey.rawRepresentation
            let request = SettleRequest(pairing: record.id.bytes, advertisingKey: key)

            let busy = pairings.answer(to: request, from: peer.device.id)
            #expect(busy.answer == .refusal(Refusal(.busy, "The digits are still being compared here.")))
            #expect(busy.outcome?.request == nil)

            pairings.abandon(record.id)
            let decided = pairings.answer(to: request, from: peer.device.id)
            #expect(decided.outcome?.request == request)
            let told = try #require(decided.outcome?.toldKey)
            try await pairings.reconcile(request, with: peer.device.id, toldKey: told)
            #expect(world.engine.read { $0.pairing.records.all } == [])
        }
    }
}
