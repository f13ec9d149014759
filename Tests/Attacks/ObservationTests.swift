import Bluetooth
import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Whoever only listens learns neither what somebody does nor what with", .endsWithin(minutes: 10))
struct ObservationTests {
    private static let samples = 2000

    @Test("no bit tells what is in an advertisement: a flag, a web page, a farewell")
    func flags() throws {
        var random = SeededRandom(seed: 11)
        var (clipboard, none, farewells, activities): ([[UInt8]], [[UInt8]], [[UInt8]], [[UInt8]]) = ([], [], [], [])
        for _ in 0..<Self.samples {
            var subject = try SimulatedSender(using: &random)
            clipboard.append(try subject.published.advertise(random.bytes(10), status: 8).bytes)
            none.append(try subject.published.advertise(random.bytes(10)).bytes)
            let farewell = AdvertisementPayload(hasWebpage: false, port: LEPSM(lowSevenBits: 1), typeHash: .withdrawal)
            farewells.append(subject.sealed(farewell, slot: someSlot))
            activities.append(subject.sealed(try .random(using: &random, hasWebpage: true), slot: someSlot))
        }
        let model = Separation.bestBit(telling: clipboard, from: none)
        let here = Separation.bestBit(telling: farewells, from: activities)
        #expect(model == 1)
        #expect(abs(here - 0.5) < 0.03)
        measured(.flags, onModel: "right \(model.percent) of the time", here: "\(here.percent), as a coin")
    }

    @Test("what is in clear is the same in all advertisements of all devices: there is nothing to tell a build by")
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

    @Test("a dictionary of activity types finds none in an advertisement")
    func dictionary() throws {
        var random = SeededRandom(seed: 13)
        let types = try (0..<1000).map { try ActivityType("org.example.app\($0)").hash }
        let dictionary = Set(types.map(\.bytes))
        var (model, here) = (0, 0)
        for number in 0..<1000 {
            let subject = try SimulatedSender(using: &random)
            // The hash as the published format has it before it is sealed: the same for everybody, for ever.
            if dictionary.contains(types[number].bytes) { model += 1 }
            let payload = AdvertisementPayload(hasWebpage: false, port: LEPSM(lowSevenBits: 1), typeHash: types[number])
            let sealed = subject.sealed(payload, slot: someSlot)
            if (0...5).contains(where: { dictionary.contains(Array(sealed[$0..<($0 + 5)])) }) { here += 1 }
        }
        #expect(model == 1000)
        #expect(here == 0)
        measured(.dictionary, onModel: "\(model) of 1000 unsealed hashes named", here: "\(here) of 1000")
    }

    @Test("one activity looks different in every slot and on every device")
    func sameActivity() throws {
        var random = SeededRandom(seed: 14)
        let payload = AdvertisementPayload(
            hasWebpage: true,
            port: LEPSM(lowSevenBits: 1),
            typeHash: try ActivityType("org.example.edit").hash
        )
        let devices = try SimulatedSender.population(50, using: &random)
        let seen = Set((0..<50).flatMap { slot in devices.map { $0.sealed(payload, slot: someSlot + UInt64(slot)) } })
        #expect(seen.count == 2500)
    }
}
