import HandoffCore
import HandoffModel
import TestLimits
import Testing

@Suite("The pacer counts from the start that the radio reports", .endsWithin(minutes: 10))
struct PacerRenewalTests {
    @Test("A withdrawal counts from its start on the air")
    func lateFarewell() {
        var pacer = AdvertisementPacer()
        pacer.request(.sample(1))
        _ = pacer.advance(to: .start(0))
        pacer.request(nil)
        _ = pacer.advance(to: .start(1))
        pacer.began(.withdrawal, at: .seconds(3))
        let end = Duration.seconds(3) + AdvertisementPacer.withdrawalDuration
        #expect(pacer.advance(to: .at(uptime: end - .milliseconds(1))).broadcast?.content == .withdrawal)
        #expect(pacer.advance(to: .at(uptime: end)).broadcast == nil)
    }

    @Test("Freshness counts from the start on the air")
    func lateBegin() {
        var pacer = AdvertisementPacer()
        pacer.request(.sample(1))
        _ = pacer.advance(to: .start(0))
        pacer.began(.sample(1), at: .seconds(2))
        #expect(pacer.advance(to: .start(601.9)).broadcast?.isFresh == true)
        #expect(pacer.advance(to: .start(602)).broadcast?.isFresh == false)
    }

    @Test("The same content at a new pace or in a new slot is not fresh again")
    func beginningAgain() {
        var pacer = AdvertisementPacer()
        pacer.request(.sample(1))
        _ = pacer.advance(to: .start(0))
        pacer.began(.sample(1), at: .zero)
        _ = pacer.advance(to: .start(600))
        // The radio got the relaxed pace, and reports that the content is on the air.
        pacer.began(.sample(1), at: .milliseconds(600_010))
        #expect(pacer.advance(to: .start(600.01)).broadcast?.isFresh == false)
        _ = pacer.advance(to: .start(900))
        pacer.began(.sample(1), at: .milliseconds(900_010))
        #expect(pacer.advance(to: .start(900.01)).broadcast?.isFresh == false)
    }

    @Test("A request during the withdrawal ends it")
    func wishDuringFarewell() {
        var pacer = AdvertisementPacer()
        pacer.request(.sample(1))
        _ = pacer.advance(to: .start(0))
        pacer.request(nil)
        _ = pacer.advance(to: .start(1))
        pacer.request(.sample(1))
        #expect(pacer.advance(to: .start(1.1)).broadcast?.content == .withdrawal)
        #expect(pacer.advance(to: .start(1.5)).broadcast?.content == .sample(1))
    }

    @Test("Setting the wall clock moves the slot, not the pace")
    func wallClockJumps() {
        var pacer = AdvertisementPacer()
        pacer.request(.sample(1))
        _ = pacer.advance(to: .start(0))
        let jumped = Moment(uptime: .seconds(1), unixMicroseconds: Moment.slotStart - 86_400_000_000)
        let broadcast = pacer.advance(to: jumped).broadcast
        #expect(broadcast?.slot == jumped.slot)
        #expect(broadcast?.isFresh == true)
    }
}

extension AdvertisementPacer.Content {
    /// One of 256 activities.
    static func sample(_ number: UInt8) -> Self {
        offered(number)
    }
}
