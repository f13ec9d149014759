import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCore

@Suite("A device changes slots at a moment that is drawn from its key", .endsWithin(minutes: 10))
struct SlotScheduleTests {
    private static func key(_ seed: UInt64) throws -> SealingKey {
        var random = SeededRandom(seed: seed)
        return .constant(try AdvertisingKey(rawRepresentation: random.bytes(AdvertisingKey.byteCount)))
    }

    /// The instant that many milliseconds after the beginning of a slot.
    private static func moment(_ slot: UInt64, _ milliseconds: Int64 = 0) -> Moment {
        let unix = Int64(slot) * 900_000_000 + milliseconds * 1000
        return Moment(uptime: .microseconds(unix), unixMicroseconds: unix)
    }

    /// How long after the border a device with that key changes to a slot, as its pacer does.
    private static func delay(_ key: SealingKey, _ slot: UInt64) throws -> Duration {
        var pacer = AdvertisementPacer()
        pacer.request(offered(1))
        let schedule = SlotSchedule(key: key)
        var (broadcast, next) = pacer.advance(to: moment(slot - 1, 200_000), by: schedule)
        while broadcast?.slot == slot - 1 {
            let due = try #require(next)
            (broadcast, next) = pacer.advance(
                to: moment(slot - 1).advanced(by: due - moment(slot - 1).uptime),
                by: schedule
            )
            if broadcast?.slot == slot { return due - moment(slot).uptime }
        }
        throw HandoffError(.noSuchActivity, "The slot does not follow the one before.")
    }

    @Test("The change comes up to a minute after the border, at a time of its own for each key and slot")
    func delays() throws {
        var delays: [Duration] = []
        for seed in UInt64(0)..<10 {
            for slot in UInt64(1000)..<1020 { delays.append(try Self.delay(Self.key(seed), slot)) }
        }
        #expect(delays.allSatisfy { $0 >= .zero && $0 < SlotSchedule.maximumDelay })
        #expect(Set(delays).count > 190)
        let mean = delays.reduce(.zero, +) / delays.count
        #expect(mean > .seconds(24) && mean < .seconds(36))
        #expect(try Self.delay(Self.key(3), 1007) == Self.delay(Self.key(3), 1007), "a restart changes nothing")
    }

    @Test("A device that starts between the border and the change advertises in the slot before")
    func start() throws {
        let key = try Self.key(4)
        let delay = try Self.delay(key, 1000)
        let schedule = SlotSchedule(key: key)
        let border = Self.moment(1000)
        #expect(schedule.slot(at: border.advanced(by: delay - .milliseconds(1))) == 999)
        #expect(schedule.slot(at: border.advanced(by: delay)) == 1000)
        #expect(SlotSchedule.atBorder.slot(at: border) == 1000)
        #expect(schedule.slot(at: Self.moment(0)) == 0)
    }

    @Test("A new key whose delay is longer does not lead back to the slot before")
    func newKey() throws {
        let keys = try (0..<50).map { try (key: Self.key($0), delay: Self.delay(Self.key($0), 1000)) }
        let early = try #require(keys.min { $0.delay < $1.delay })
        let late = try #require(keys.max { $0.delay < $1.delay })
        var pacer = AdvertisementPacer()
        pacer.request(offered(1))
        let between = Self.moment(1000).advanced(by: (early.delay + late.delay) / 2)
        #expect(pacer.advance(to: between, by: SlotSchedule(key: early.key)).broadcast?.slot == 1000)
        let (broadcast, next) = pacer.advance(to: between, by: SlotSchedule(key: late.key))
        #expect(broadcast?.slot == 1000)
        #expect(try #require(next) > between.uptime)
    }

    @Test("A clock that is set back leads back to its slot")
    func clockSetBack() {
        var pacer = AdvertisementPacer()
        pacer.request(offered(1))
        #expect(pacer.advance(to: Self.moment(1000, 300_000)).broadcast?.slot == 1000)
        #expect(pacer.advance(to: Self.moment(900, 300_000)).broadcast?.slot == 900)
    }
}
