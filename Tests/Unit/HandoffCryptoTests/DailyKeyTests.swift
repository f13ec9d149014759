import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

@Suite("An advertising key moves forward each day", .endsWithin(minutes: 10))
struct DailyKeyTests {
    /// A key moved forward to a later day, and an advertisement of that day, or nil where the key does not reach it; all
    /// but numbers in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let advertisingKey: String
        let day: UInt32
        let laterDay: UInt32
        let laterAdvertisingKey: String?
        let slot: UInt64
        let plaintext: String
        let sealed: String?
    }

    private let plaintext: [UInt8] = [0x93, 1, 2, 3, 4, 5]

    private func sealed(_ key: DailyKey, _ slot: UInt64) throws -> [UInt8] {
        try #require(AdvertisementSealer(key: .daily(key), slot: slot)).seal(plaintext)
    }

    @Test("The key of a later day is the same in one step of days and in many, and differs from every other day's")
    func steps() throws {
        let first = DailyKey.generate(day: 20_000)
        var keys = [first]
        for day in UInt32(20_001)...20_030 { keys.append(try #require(keys.last?.advanced(to: day))) }
        #expect(Set(keys.map(\.key)).count == keys.count)
        for key in keys {
            #expect(first.advanced(to: key.day) == key)
            #expect(key.advanced(to: 20_030) == keys.last)
        }
    }

    @Test("Of two days of one key the earlier one is kept, whichever is told later; another key replaces it")
    func joined() throws {
        let first = AdvertisingKeyRecord.generate(day: 20_000)
        let later = AdvertisingKeyRecord(id: first.id, daily: try #require(first.daily.advanced(to: 20_003)))
        #expect(first.joined(with: later) == first)
        #expect(later.joined(with: first) == first)
        #expect(first.daily.leads(to: first.daily) && !later.daily.leads(to: first.daily))
        let forged = AdvertisingKeyRecord(id: first.id, daily: .generate(day: 20_003))
        for other in [forged, .generate(day: 20_000)] { #expect(first.joined(with: other) == other) }
    }

    @Test("A key leads to no earlier day, and to none more than ten years later", arguments: [19_999, 23_651, .max])
    func outOfReach(day: UInt32) throws {
        let key = DailyKey.generate(day: 20_000)
        #expect(key.advanced(to: day) == nil)
        #expect(key.advanced(to: 23_650) != nil)
        #expect(AdvertisementSealer(key: .daily(key), slot: UInt64(day) * 96) == nil)
    }

    @Test("A key and its day are restored from 36 bytes, and from no other number of bytes")
    func rawRepresentation() throws {
        let key = DailyKey.generate(day: 0x0102_0304)
        #expect(key.rawRepresentation == key.key.rawRepresentation + [1, 2, 3, 4])
        #expect(try DailyKey(rawRepresentation: key.rawRepresentation) == key)
        for count in [0, 32, 35, 37] {
            #expect { try DailyKey(rawRepresentation: [UInt8](repeating: 1, count: count)) } throws: {
                ($0 as? CryptoError)?.code == .invalidKey
            }
        }
    }

    @Test(
        "The key that is kept is that of the day of the slot before",
        arguments: [(0, 0), (1, 0), (95, 0), (96, 0), (97, 1), (192, 1), (193, 2)] as [(UInt64, UInt32)]
    )
    func keptDay(slot: UInt64, day: UInt32) {
        let key = DailyKey.generate(day: 0)
        #expect(DailyKey.keptDay(at: slot) == day)
        #expect(key.kept(at: slot) == key.advanced(to: day))
        #expect(DailyKey.generate(day: 7).kept(at: slot).day == 7, "a key of a later day is kept as it is")
    }

    @Test("A kept key opens the slot before, this slot and all later ones, and nothing of an earlier day")
    func kept() throws {
        let first = DailyKey.generate(day: 20_000)
        for slot in UInt64(20_002 * 96 - 2)...(20_002 * 96 + 2) {
            let kept = first.kept(at: slot)
            var opener = AdvertisementOpener(keys: [("peer", SealingKey.daily(kept))])
            for sealedIn in (slot - 1)...(slot + 1) {
                let opened = opener.open(try sealed(first, sealedIn), slot: slot)
                #expect(opened?.plaintext == plaintext)
                #expect(opened?.slotOffset == Int(sealedIn) - Int(slot))
            }
            for earlier in stride(from: UInt64(20_000 * 96), to: UInt64(DailyKey.keptDay(at: slot)) * 96, by: 1) {
                #expect(opener.open(try sealed(first, earlier), slot: earlier) == nil)
            }
        }
    }

    @Test("Openers with keys of different days open the same advertisements, in whatever order the slots come")
    func movingSlots() throws {
        let keys = (0..<3).map { DailyKey.generate(day: UInt32(10 + $0)) }
        let midnight: UInt64 = 12 * 96
        var opener = AdvertisementOpener(keys: keys.enumerated().map { ($0, SealingKey.daily($1)) })
        for slot in [midnight - 1, midnight, midnight + 1, midnight + 200, midnight - 100, midnight, .max, 0] {
            for (index, key) in keys.enumerated() {
                for sealedIn in [slot &- 1, slot, slot &+ 1] {
                    let sealer = AdvertisementSealer(key: .daily(key), slot: sealedIn)
                    let opened = sealer.flatMap { opener.open($0.seal(plaintext), slot: slot) }
                    #expect(opened?.id == sealer.map { _ in index })
                }
            }
        }
    }

    @Test("A device whose clock differs is found in the slots that the kept key reaches, and in no earlier ones")
    func clockSkew() throws {
        let slot: UInt64 = 20_000 * 96 + 40
        let first = DailyKey.generate(day: 19_990)
        let opener = AdvertisementOpener(keys: [("peer", SealingKey.daily(first.kept(at: slot)))])
        for offset in [2, 56, 96, -2, -40] {
            let sealed = try sealed(first, slot &+ UInt64(bitPattern: Int64(offset)))
            #expect(opener.findWithClockSkew(sealed, slot: slot)?.slotOffset == offset)
        }
        #expect(opener.findWithClockSkew(try sealed(first, slot - 41), slot: slot) == nil)
    }

    private static func make() throws -> [Case] {
        var random = SeededRandom(seed: 12)
        let days: [(UInt32, UInt32, UInt64)] = [
            (20_777, 20_777, 0), (20_777, 20_778, 95), (0, 3650, 17), (0, 3651, 17), (20_777, 20_776, 95),
        ]
        return try days.map { day, later, slot in
            let key = DailyKey(key: try AdvertisingKey(rawRepresentation: random.bytes(32)), day: day)
            let (plaintext, slot) = (random.bytes(AdvertisementSealer.plaintextBytes), UInt64(later) * 96 + slot)
            return Case(
                advertisingKey: hex(key.key.rawRepresentation),
                day: day,
                laterDay: later,
                laterAdvertisingKey: key.advanced(to: later).map { hex($0.key.rawRepresentation) },
                slot: slot,
                plaintext: hex(plaintext),
                sealed: AdvertisementSealer(key: .daily(key), slot: slot).map { hex($0.seal(plaintext)) }
            )
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Daily keys (Docs/Protocol.md, "Daily keys"): an advertising key of a day, the one of a later day, and an \
                advertisement in a slot of the later day; without these two, the key does not reach that day. Bytes are \
                hexadecimal; days are Unix time divided by 86400.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("daily")
        #expect(try VectorFile<Case>.load("daily") == file)
    }
}
