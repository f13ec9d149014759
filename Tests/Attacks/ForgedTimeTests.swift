import HandoffAttackModel
import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

@Suite("A clock that is set back makes recordings of the same day valid, and no others", .endsWithin(minutes: 10))
struct ForgedTimeTests {
    @Test("A device whose clock is set back to each slot of the last week opens what was recorded today")
    func forgedTime() throws {
        var random = SeededRandom(seed: 46)
        let day = UInt32(someSlot / DailyKey.slotsPerDay)
        let noon = UInt64(day) * DailyKey.slotsPerDay + DailyKey.slotsPerDay / 2
        let week = (noon - 7 * DailyKey.slotsPerDay)..<noon
        let first = DailyKey(
            key: try AdvertisingKey(rawRepresentation: random.bytes(AdvertisingKey.byteCount)),
            day: day - 7
        )
        let plaintexts = week.map { _ in random.bytes(AdvertisementSealer.plaintextBytes) }
        let constant = zip(week, plaintexts).map { AdvertisementSealer(key: first.key, slot: $0).seal($1) }
        let daily = try zip(week, plaintexts).map {
            try #require(AdvertisementSealer(key: .daily(first), slot: $0)).seal($1)
        }
        /// How many of the recordings a device opens whose clock is set back to the slot of each.
        func opened(_ recorded: [[UInt8]], _ key: SealingKey) -> Int {
            zip(week, recorded).count { slot, sealed in
                var opener = AdvertisementOpener(keys: [(0, key)])
                return opener.open(sealed, slot: slot) != nil
            }
        }
        // The device has moved its key forward to today, and does not move it back.
        let kept = first.kept(at: noon).kept(at: week.lowerBound)
        let (model, here) = (opened(constant, .constant(first.key)), opened(daily, .daily(kept)))
        measured(
            .forgedTime,
            onModel: "opens \(model) of \(week.count) recorded in a week",
            here: "opens \(here) of \(week.count), those of the same day"
        )
    }
}
