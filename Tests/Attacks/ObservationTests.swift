import Bluetooth
import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("A passive observer learns neither the activity nor the app", .endsWithin(minutes: 10))
struct ObservationTests {
    private static let samples = 2000

    @Test("No bit of an advertisement shows whether it has a flag or a web page or is a withdrawal")
    func flags() throws {
        var random = SeededRandom(seed: 11)
        var (clipboard, none, withdrawals, activities): ([[UInt8]], [[UInt8]], [[UInt8]], [[UInt8]]) = ([], [], [], [])
        for _ in 0..<Self.samples {
            var subject = try SimulatedSender(using: &random)
            clipboard.append(try subject.published.advertise(random.bytes(10), status: 8).bytes)
            none.append(try subject.published.advertise(random.bytes(10)).bytes)
            let withdrawal = AdvertisementPayload(
                hasWebpage: false,
                port: LEPSM(lowFiveBits: 1),
                typeHash: nil,
                number: .some
            )
            withdrawals.append(subject.sealed(withdrawal, slot: someSlot))
            activities.append(subject.sealed(try .random(using: &random, hasWebpage: true), slot: someSlot))
        }
        let model = Separation.bestBit(telling: clipboard, from: none)
        let here = Separation.bestBit(telling: withdrawals, from: activities)
        #expect(model == 1)
        #expect(abs(here - 0.5) < 0.03)
        measured(.flags, onModel: "right \(model.percent) of the time", here: "\(here.percent), like guessing")
    }

    @Test("The unencrypted part is the same in all advertisements, so it does not identify a version")
    func format() throws {
        var random = SeededRandom(seed: 12)
        var (old, new): (Set<[UInt8]>, Set<Int>) = ([], [])
        for status in [UInt8(0), 8] {
            var subject = try SimulatedSender(using: &random)
            old.insert(Array(try subject.published.advertise(random.bytes(10), status: status).bytes.prefix(5)))
        }
        for _ in 0..<Self.samples {
            new.insert(try SimulatedSender(using: &random).sealed(.random(using: &random), slot: someSlot).count)
        }
        #expect(old.count == 2)
        #expect(new == [AdvertisementSealer.sealedBytes])
        measured(.format, onModel: "\(old.count) forms", here: "\(new.count) form")
    }

    @Test("A dictionary of activity types identifies none in an advertisement")
    func dictionary() throws {
        var random = SeededRandom(seed: 13)
        let types = try (0..<1000).map { try ActivityType("org.example.app\($0)").hash }
        let dictionary = Set(types.map(\.bytes))
        var (model, here) = (0, 0)
        for number in 0..<1000 {
            let subject = try SimulatedSender(using: &random)
            // The hash before it is sealed in the published format: it never changes, and is the same on every device.
            if dictionary.contains(types[number].bytes) { model += 1 }
            let payload = AdvertisementPayload(
                hasWebpage: false,
                port: LEPSM(lowFiveBits: 1),
                typeHash: types[number],
                number: .some
            )
            let sealed = subject.sealed(payload, slot: someSlot)
            if (0...6).contains(where: { dictionary.contains(Array(sealed[$0..<($0 + 4)])) }) { here += 1 }
        }
        #expect(model == 1000)
        #expect(here == 0)
        measured(.dictionary, onModel: "\(model) of 1000 unsealed hashes identified", here: "\(here) of 1000")
    }

    @Test("The same activity has a different advertisement in every slot and on every device")
    func sameActivity() throws {
        var random = SeededRandom(seed: 14)
        let payload = AdvertisementPayload(
            hasWebpage: true,
            port: LEPSM(lowFiveBits: 1),
            typeHash: try ActivityType("org.example.edit").hash,
            number: .some
        )
        let devices = try SimulatedSender.population(50, using: &random)
        let seen = Set((0..<50).flatMap { slot in devices.map { $0.sealed(payload, slot: someSlot + UInt64(slot)) } })
        #expect(seen.count == 2500)
    }
}
