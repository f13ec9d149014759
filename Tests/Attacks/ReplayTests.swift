import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("What was recorded is worth nothing later", .endsWithin(minutes: 10))
struct ReplayTests {
    @Test("a recorded advertisement means nothing after half an hour")
    func advertisements() throws {
        var random = SeededRandom(seed: 10)
        var subject = try SimulatedSender(using: &random)
        let recorded = try (0..<1000).map { _ in try subject.published.advertise(random.bytes(10)) }
        // A day later, in front of another device of the same person, which has not heard them.
        var receiver = PublishedReceiver(keys: [subject.published.key])
        let model = try recorded.count { advertisement in
            if case .shown = try receiver.hear(advertisement) { true } else { false }
        }
        var opener = AdvertisementOpener(keys: [(0, subject.key)])
        let sealed = try (0..<1000).map { _ in try subject.sealed(.random(using: &random), slot: someSlot) }
        func believed(_ later: UInt64) -> Int { sealed.count { opener.open($0, slot: someSlot + later) != nil } }
        #expect(believed(0) == 1000)
        #expect(believed(1) == 1000)
        let here = believed(2)
        #expect(here == 0)
        measured(
            .replay,
            onModel: "\(model) of 1000 believed a day later",
            here: "\(here) of 1000 after two slots; before, a place to dial among others, and 0 packets"
        )
    }
}
