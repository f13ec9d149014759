import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Sealed advertisements", .endsWithin(minutes: 10))
struct AdvertisementTests {
    let plaintext: [UInt8] = [0x93, 1, 2, 3, 4, 5]

    private func keys(_ count: Int) throws -> [(Int, AdvertisingKey)] {
        var random = SeededRandom(seed: 7)
        return try (0..<count).map { ($0, try AdvertisingKey(rawRepresentation: random.bytes(32))) }
    }

    @Test("The sender is found in the slot before, the same slot and the one after, and in no other", arguments: -3...3)
    func slots(offset: Int) throws {
        let keys = try keys(5)
        var opener = AdvertisementOpener(keys: keys)
        for (id, key) in keys {
            let sealed = AdvertisementSealer(key: key, slot: UInt64(100 + offset)).seal(plaintext)
            #expect(sealed.count == 10)
            let opened = opener.open(sealed, slot: 100)
            #expect(opened?.id == (abs(offset) <= 1 ? id : nil))
            #expect(opened?.slotOffset == (abs(offset) <= 1 ? offset : nil))
            #expect(opened?.plaintext == (abs(offset) <= 1 ? plaintext : nil))
        }
    }

    @Test("An opener that moves to another slot opens the same advertisements as a new one")
    func movingSlots() throws {
        let keys = try keys(3)
        var opener = AdvertisementOpener(keys: keys)
        for slot in [5, 6, 7, 7, 9, 8, 100, 99, 0, 1, .max, 0, .max - 1] as [UInt64] {
            for sealedIn in [slot &- 2, slot &- 1, slot, slot &+ 1, slot &+ 2] {
                let sealed = AdvertisementSealer(key: keys[1].1, slot: sealedIn).seal(plaintext)
                var fresh = AdvertisementOpener(keys: keys)
                #expect(opener.open(sealed, slot: slot)?.slotOffset == fresh.open(sealed, slot: slot)?.slotOffset)
            }
        }
    }

    @Test("An advertisement with any flipped bit cannot be opened")
    func bitFlips() throws {
        let keys = try keys(20)
        var opener = AdvertisementOpener(keys: keys)
        let sealed = AdvertisementSealer(key: keys[0].1, slot: 9).seal(plaintext)
        for damaged in Damage.bitFlips(of: sealed) {
            #expect(opener.open(damaged, slot: 9) == nil)
        }
    }

    @Test("Advertisements of unknown devices cannot be opened")
    func foreign() throws {
        var opener = AdvertisementOpener(keys: try keys(20))
        var random = SeededRandom(seed: 8)
        for _ in 0..<2000 {
            #expect(opener.open(random.bytes(10), slot: 9) == nil)
        }
    }

    @Test("Data of any length but ten bytes cannot be opened", arguments: [0, 1, 9, 11, 31])
    func length(count: Int) throws {
        var opener = AdvertisementOpener(keys: try keys(2))
        #expect(opener.open([UInt8](repeating: 0, count: count), slot: 9) == nil)
    }

    @Test("Equal content has equal bytes within a slot, and unrelated ones in other slots and from other devices")
    func appearance() throws {
        let keys = try keys(2)
        let sealed = AdvertisementSealer(key: keys[0].1, slot: 9).seal(plaintext)
        #expect(AdvertisementSealer(key: keys[0].1, slot: 9).seal(plaintext) == sealed)
        var seen: [[UInt8]] = [sealed]
        for slot in UInt64(10)..<200 { seen.append(AdvertisementSealer(key: keys[0].1, slot: slot).seal(plaintext)) }
        seen.append(AdvertisementSealer(key: keys[1].1, slot: 9).seal(plaintext))
        // Unrelated: each of the 80 bits is one about half of the time. 192 fair bits deviate by 7 standard deviations
        // (48.5) once in 10^12.
        #expect(Set(seen).count == seen.count)
        for bit in 0..<80 {
            let ones = seen.count { $0[bit / 8] & 1 << (bit % 8) != 0 }
            #expect((48...144).contains(ones), "bit \(bit)")
        }
    }

    @Test("One changed bit of the content changes the whole advertisement")
    func diffusion() throws {
        let sealer = AdvertisementSealer(key: try keys(1)[0].1, slot: 9)
        let sealed = sealer.seal(plaintext)
        for changed in Damage.bitFlips(of: plaintext) {
            let difference = zip(sealer.seal(changed), sealed).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
            #expect((15...65).contains(difference))
        }
    }

    @Test(
        "A slot is a quarter of an hour",
        arguments: [(0, 0), (899, 0), (900, 1), (-1, 0), (-5000, 0), (1_795_232_280, 1_994_702)] as [(Int64, UInt64)]
    )
    func slot(seconds: Int64, slot: UInt64) {
        #expect(AdvertisementSealer.slot(unixSeconds: seconds) == slot)
    }
}

@Suite("Advertisements of distant slots", .endsWithin(minutes: 10))
struct DistantAdvertisementTests {
    @Test(
        "An advertisement within a day is found with its sender and its distance, and by no other key",
        arguments: [-96, -4, 2, 56, 96]
    )
    func found(offset: Int) {
        let (key, other) = (AdvertisingKey.generate(), AdvertisingKey.generate())
        let sealed = AdvertisementSealer(key: key, slot: UInt64(1000 + offset)).seal([1, 2, 3, 4, 5, 6])
        let found = AdvertisementOpener(keys: [("other", other), ("peer", key)]).findWithClockSkew(sealed, slot: 1000)
        #expect(found?.id == "peer")
        #expect(found?.slotOffset == offset)
        #expect(AdvertisementOpener(keys: [("other", other)]).findWithClockSkew(sealed, slot: 1000) == nil)
    }

    @Test(
        "Slots that are near or too far away are not searched, nor is data that is not an advertisement",
        arguments: [-97, 0, 1, 97]
    )
    func notFound(offset: Int) {
        let key = AdvertisingKey.generate()
        let sealed = AdvertisementSealer(key: key, slot: UInt64(1000 + offset)).seal([1, 2, 3, 4, 5, 6])
        #expect(AdvertisementOpener(keys: [(1, key)]).findWithClockSkew(sealed, slot: 1000) == nil)
        #expect(AdvertisementOpener(keys: [(1, key)]).findWithClockSkew([1, 2], slot: 1000) == nil)
    }

    @Test("A call tries a bounded number of keys, and the next calls try the others")
    func turns() {
        let keys = (0..<AdvertisementOpener<Int>.keysPerTurn * 2 + 5).map { ($0, AdvertisingKey.generate()) }
        let opener = AdvertisementOpener(keys: keys)
        for (id, key) in keys {
            let sealed = AdvertisementSealer(key: key, slot: 1008).seal([1, 2, 3, 4, 5, 6])
            let turns = (0..<6).filter { opener.findWithClockSkew(sealed, slot: 1000, turn: $0)?.id == id }
            let first = id / AdvertisementOpener<Int>.keysPerTurn
            #expect(turns == [first, first + 3])
        }
        let nobody = AdvertisementOpener(keys: [(Int, AdvertisingKey)]())
        #expect(nobody.findWithClockSkew([UInt8](repeating: 1, count: 10), slot: 1000) == nil)
    }
}
