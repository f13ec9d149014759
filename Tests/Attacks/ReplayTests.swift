import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Recorded advertisements have no effect later", .endsWithin(minutes: 10))
struct ReplayTests {
    @Test("A recorded advertisement is rejected half an hour later")
    func advertisements() throws {
        var random = SeededRandom(seed: 10)
        var subject = try SimulatedSender(using: &random)
        let recorded = try (0..<1000).map { _ in try subject.published.advertise(random.bytes(10)) }
        // A day later, at another device of the same user that has not received them before.
        var receiver = PublishedReceiver(keys: [subject.published.key])
        let model = try recorded.count { advertisement in
            if case .shown = try receiver.hear(advertisement) { true } else { false }
        }
        var opener = AdvertisementOpener(keys: [(0, subject.key)])
        let sealed = try (0..<1000).map { _ in try subject.sealed(.random(using: &random), slot: someSlot) }
        func accepted(_ later: UInt64) -> Int { sealed.count { opener.open($0, slot: someSlot + later) != nil } }
        #expect(accepted(0) == 1000)
        #expect(accepted(1) == 1000)
        let here = accepted(2)
        #expect(here == 0)
        measured(
            .replay,
            onModel: "\(model) of 1000 accepted a day later",
            here: "\(here) of 1000 after two slots; before that, one more address to connect to, and 0 packets"
        )
    }
}
