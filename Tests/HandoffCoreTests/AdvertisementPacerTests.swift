import HandoffCore
import HandoffModel
import Testing

@Suite("The pacer decides what is on the air")
struct AdvertisementPacerTests {
    typealias Content = AdvertisementPacer.Content

    @Test("the first wish is on the air at once, and fresh")
    func firstWish() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        let broadcast = pacer.advance(to: .at(0)).broadcast
        #expect(broadcast?.content == .sample(1))
        #expect(broadcast?.isFresh == true)
        #expect(broadcast?.slot == Moment.at(0).slot)
    }

    @Test("whoever never wished anything hears of no deadline")
    func silenceFromTheStart() {
        var pacer = AdvertisementPacer()
        pacer.want(nil)
        #expect(pacer.advance(to: .at(0)) == (nil, nil))
    }

    @Test("a second wish waits until half a second has passed")
    func secondWishWaits() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        _ = pacer.advance(to: .at(0))
        pacer.want(.sample(2))
        let early = pacer.advance(to: .at(0.1))
        #expect(early.broadcast?.content == .sample(1))
        #expect(early.next == .milliseconds(500))
        #expect(pacer.advance(to: .at(0.499)).broadcast?.content == .sample(1))
        #expect(pacer.advance(to: .at(0.5)).broadcast?.content == .sample(2))
    }

    @Test("of several wishes in the gap, the last one counts")
    func lastWishWins() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        _ = pacer.advance(to: .at(0))
        for number in 2...9 {
            pacer.want(.sample(UInt8(number)))
            _ = pacer.advance(to: .at(0.01 * Double(number)))
        }
        #expect(pacer.advance(to: .at(0.5)).broadcast?.content == .sample(9))
    }

    @Test("a wish that returns to what is on the air changes nothing")
    func returningWish() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        _ = pacer.advance(to: .at(0))
        pacer.want(.sample(2))
        _ = pacer.advance(to: .at(0.1))
        pacer.want(.sample(1))
        #expect(pacer.advance(to: .at(1)).broadcast?.content == .sample(1))
        pacer.want(.sample(3))
        #expect(pacer.advance(to: .at(1)).broadcast?.content == .sample(3), "no change was counted in between")
    }

    @Test("the sixth change in ten seconds waits until the first is ten seconds old")
    func sixthChange() {
        var pacer = AdvertisementPacer()
        for number in 0..<5 {
            pacer.want(.sample(UInt8(number)))
            #expect(pacer.advance(to: .at(Double(number))).broadcast?.content == .sample(UInt8(number)))
        }
        pacer.want(.sample(5))
        let early = pacer.advance(to: .at(5))
        #expect(early.broadcast?.content == .sample(4))
        #expect(early.next == .seconds(10))
        #expect(pacer.advance(to: .at(10)).broadcast?.content == .sample(5))
    }

    @Test("a farewell waits for the gap, but not for the window")
    func farewellIsNotHeldBack() {
        var pacer = AdvertisementPacer()
        for number in 0..<5 {
            pacer.want(.sample(UInt8(number)))
            _ = pacer.advance(to: .at(Double(number)))
        }
        pacer.want(nil)
        #expect(pacer.advance(to: .at(4.1)).broadcast?.content == .sample(4))
        #expect(pacer.advance(to: .at(4.5)).broadcast?.content == .farewell)
    }

    @Test("a farewell is on the air for its time, and then there is silence without a deadline")
    func farewell() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        _ = pacer.advance(to: .at(0))
        pacer.want(nil)
        let first = pacer.advance(to: .at(1))
        #expect(first.broadcast?.content == .farewell)
        #expect(first.next == .seconds(1) + AdvertisementPacer.farewellDuration)
        let end = Duration.seconds(1) + AdvertisementPacer.farewellDuration
        #expect(pacer.advance(to: .at(uptime: end - .milliseconds(1))).broadcast?.content == .farewell)
        #expect(pacer.advance(to: .at(uptime: end)) == (nil, nil))
        #expect(pacer.advance(to: .at(1000)) == (nil, nil))
    }

    @Test("a farewell counts from when it began to be on the air")
    func lateFarewell() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        _ = pacer.advance(to: .at(0))
        pacer.want(nil)
        _ = pacer.advance(to: .at(1))
        pacer.began(.farewell, at: .seconds(3))
        let end = Duration.seconds(3) + AdvertisementPacer.farewellDuration
        #expect(pacer.advance(to: .at(uptime: end - .milliseconds(1))).broadcast?.content == .farewell)
        #expect(pacer.advance(to: .at(uptime: end)).broadcast == nil)
    }

    @Test("a wish during the farewell ends it")
    func wishDuringFarewell() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        _ = pacer.advance(to: .at(0))
        pacer.want(nil)
        _ = pacer.advance(to: .at(1))
        pacer.want(.sample(1))
        #expect(pacer.advance(to: .at(1.1)).broadcast?.content == .farewell)
        #expect(pacer.advance(to: .at(1.5)).broadcast?.content == .sample(1))
    }

    @Test("freshness passes, and asks for one wake-up")
    func freshness() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        #expect(pacer.advance(to: .at(0)).next == .seconds(30))
        #expect(pacer.advance(to: .at(29.999)).broadcast?.isFresh == true)
        let (broadcast, next) = pacer.advance(to: .at(30))
        #expect(broadcast?.isFresh == false)
        #expect(next == .seconds(900), "nothing is due before the next slot")
    }

    @Test("what is fresh counts from when it began to be on the air")
    func lateBegin() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        _ = pacer.advance(to: .at(0))
        pacer.began(.sample(1), at: .seconds(2))
        #expect(pacer.advance(to: .at(31.9)).broadcast?.isFresh == true)
        #expect(pacer.advance(to: .at(32)).broadcast?.isFresh == false)
    }

    @Test("the same content under a new pace or slot is not fresh again")
    func beginningAgain() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        _ = pacer.advance(to: .at(0))
        pacer.began(.sample(1), at: .zero)
        _ = pacer.advance(to: .at(30))
        // The radio was given the relaxed pace, and says that it is on the air.
        pacer.began(.sample(1), at: .milliseconds(30_010))
        #expect(pacer.advance(to: .at(30.01)).broadcast?.isFresh == false)
        _ = pacer.advance(to: .at(900))
        pacer.began(.sample(1), at: .milliseconds(900_010))
        #expect(pacer.advance(to: .at(900.01)).broadcast?.isFresh == false)
    }

    @Test("each slot renews the broadcast, which is no change that counts")
    func slots() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        _ = pacer.advance(to: .at(0))
        for slot in 1...9 {
            let (broadcast, next) = pacer.advance(to: .at(Double(slot) * 900))
            #expect(broadcast?.slot == Moment.at(0).slot + UInt64(slot))
            #expect(next == .seconds(900 * (slot + 1)))
        }
        pacer.want(.sample(2))
        #expect(pacer.advance(to: .at(9 * 900)).broadcast?.content == .sample(2))
    }

    @Test("a wall clock that is set moves the slot, not the pace")
    func wallClockJumps() {
        var pacer = AdvertisementPacer()
        pacer.want(.sample(1))
        _ = pacer.advance(to: .at(0))
        let jumped = Moment(uptime: .seconds(1), unixMicroseconds: Moment.slotStart - 86_400_000_000)
        let broadcast = pacer.advance(to: jumped).broadcast
        #expect(broadcast?.slot == jumped.slot)
        #expect(broadcast?.isFresh == true)
    }
}

extension AdvertisementPacer.Content {
    /// One of 256 activities.
    static func sample(_ number: UInt8) -> Self {
        guard let hash = try? ActivityTypeHash(bytes: [1, 2, 3, 4, number]) else { preconditionFailure("five bytes") }
        return .activity(hash, hasWebpage: false)
    }
}
