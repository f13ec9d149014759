import HandoffAttackModel
import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

@Suite("A stolen state does not open what was recorded before", .endsWithin(minutes: 10))
struct StolenStateTests {
    @Test("The key of today opens no advertisement of the days before")
    func recordedWeek() throws {
        var random = SeededRandom(seed: 31)
        let firstDay = DailyKey(
            key: try AdvertisingKey(rawRepresentation: random.bytes(AdvertisingKey.byteCount)),
            day: UInt32(someSlot / DailyKey.slotsPerDay)
        )
        let slots = (0..<7 * DailyKey.slotsPerDay).map { UInt64(firstDay.day) * DailyKey.slotsPerDay + $0 }
        let plaintexts = slots.map { _ in random.bytes(AdvertisementSealer.plaintextBytes) }
        // Version 1 of this protocol: one key for all days.
        let old = zip(slots, plaintexts).map { AdvertisementSealer(key: firstDay.key, slot: $0).seal($1) }
        let new = try zip(slots, plaintexts).map {
            try #require(AdvertisementSealer(key: .daily(firstDay), slot: $0)).seal($1)
        }
        // The state is stolen half an hour into the eighth day.
        let stolen = firstDay.kept(at: UInt64(firstDay.day + 7) * DailyKey.slotsPerDay + 2)
        func opened(_ recorded: [[UInt8]], with key: SealingKey) -> Int {
            zip(slots, recorded).count { slot, sealed in
                var opener = AdvertisementOpener(keys: [(0, key)])
                return opener.open(sealed, slot: slot) != nil
            }
        }
        let model = opened(old, with: .constant(firstDay.key))
        let here = opened(new, with: .daily(stolen)) + opened(new, with: .constant(stolen.key))
        #expect(opened(new, with: .daily(firstDay)) == slots.count)
        measured(
            .stolenState,
            onModel: "opens \(model) of \(slots.count) recorded in a week",
            here: "opens \(here) of \(slots.count) of the days before"
        )
    }
}
