import Bluetooth
import HandoffAttackModel
import HandoffCore
import HandoffRadio
import HandoffTestVectors
import TestLimits
import Testing

@Suite("No recording makes a device report a clone", .endsWithin(minutes: 10))
struct FalseCloneTests {
    private static let endpoint = PeerEndpoint(
        address: RadioAddress("C0:00:00:00:00:01/random"),
        port: LEPSM(lowFiveBits: 1)
    )

    @Test("A device that was restarted ignores what it may have sent before")
    func replayAfterRestart() throws {
        var random = SeededRandom(seed: 34)
        let subject = try SimulatedSender(using: &random)
        let recorded = try (0..<100).map { number in
            let slot = someSlot - UInt64(number % 2)
            return (slot: slot, data: try subject.sealed(.random(using: &random), slot: slot))
        }
        // Version 1: what the daemon has sent since its start, and nothing else, raises no alarm.
        let sentSinceStart: Set<[UInt8]> = []
        let model = recorded.count { !sentSinceStart.contains($0.data) }
        let here = recorded.count { recording in
            var detector = OwnKeyDetector(startSlot: someSlot)
            return detector.recordForeign(slot: recording.slot, from: Self.endpoint, at: .seconds(1))
        }
        var detector = OwnKeyDetector(startSlot: someSlot)
        let forged = detector.recordForeign(slot: someSlot + 1, from: Self.endpoint, at: .seconds(1))
        #expect(forged && !detector.isCopyProved)
        #expect(!detector.isSuspected(at: .seconds(1) + OwnKeyDetector.lifetime))
        measured(
            .falseClone,
            onModel: "alarm at \(model) of 100 replays after a restart",
            here: "\(here) of 100; a member's forgery is a hint, and a session proves a copy"
        )
    }
}
