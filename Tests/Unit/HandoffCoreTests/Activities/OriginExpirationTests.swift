import HandoffCore
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("An activity that has expired is no longer offered", .endsWithin(minutes: 10))
struct OriginExpirationTests {
    var origin = Origin()

    /// The date `seconds` after the start of the test, by the wall clock.
    private static func date(_ seconds: Double) throws -> Timestamp {
        let moment = Moment.at(seconds).unixMicroseconds
        return try Timestamp(seconds: moment / 1_000_000, nanoseconds: UInt32(moment % 1_000_000) * 1000)
    }

    private mutating func publish(_ name: String = "edit", until end: Double?) throws -> ActivityRegister.ID {
        let activity = try Activity.sample(name).with { properties in
            properties.expiration = end.flatMap { try? Self.date($0) }
        }
        let id = try origin.create(activity, owner: ":1.1", isEligible: true).id
        try origin.becomeCurrent(id, by: ":1.1", at: .at(0))
        _ = origin.advance(to: .at(0))
        return id
    }

    private mutating func isWithdrawal(at now: Moment) -> Bool {
        origin.advance(to: now).broadcast?.content == .withdrawal
    }

    @Test("At its expiration date, for which an alarm is requested, an activity is withdrawn and cannot be fetched")
    mutating func leaves() throws {
        let id = try publish(until: 20)
        #expect(origin.advance(to: .at(0)).next == Moment.at(20).uptime)
        #expect(isWithdrawal(at: .at(19.999)) == false)
        #expect(origin.current?.id == id)
        #expect(isWithdrawal(at: .at(20)) == true)
        #expect(origin.current == nil)
        #expect(try origin.answer(to: .sample(), at: .at(20)).refusalCode == .noLongerCurrent)
        #expect(try origin.activity(id).isExpired)
    }

    @Test("The activity below an expired one is current again")
    mutating func below() throws {
        let lasting = try publish("draw", until: nil)
        _ = try publish(until: 20)
        _ = origin.advance(to: .at(20))
        #expect(origin.current?.id == lasting)
    }

    @Test("An expired activity is current again when it gets a later date or none")
    mutating func back() throws {
        let id = try publish(until: 20)
        _ = origin.advance(to: .at(0))
        _ = origin.advance(to: .at(21))
        for end in [nil, 40.0] {
            let later = try origin.activity(id).activity.with { $0.expiration = end.flatMap { try? Self.date($0) } }
            try origin.update(id, by: ":1.1", at: .at(22)) { $0.activity = later }
            #expect(origin.current?.id == id)
            #expect(isWithdrawal(at: .at(30)) == false)
        }
        #expect(isWithdrawal(at: .at(40)) == true)
    }

    @Test("An activity that expired before it asked to be current is not current")
    mutating func late() throws {
        _ = try publish(until: -1)
        #expect(origin.current == nil)
        #expect(origin.advance(to: .at(0)).next == nil)
    }

    @Test("The expiration follows the wall clock: when the clock is set, it comes sooner or later")
    mutating func clockSet() throws {
        let id = try publish(until: 20)
        _ = origin.advance(to: .at(0))
        let ahead = Moment(uptime: Moment.at(5).uptime, unixMicroseconds: Moment.at(30).unixMicroseconds)
        #expect(isWithdrawal(at: ahead) == true)
        #expect(origin.advance(to: .at(6)).next == Moment.at(20).uptime)
        #expect(origin.current?.id == id)
    }

    @Test("While the user is away, nothing is advertised; the current activity remains and is offered again later")
    mutating func withheld() throws {
        let id = try publish(until: nil)
        _ = origin.advance(to: .at(0))
        origin.withhold(true, at: .at(1))
        #expect(isWithdrawal(at: .at(1)) == true)
        #expect(origin.current?.id == id)
        #expect(
            try origin.answer(to: .sample(), at: .at(10.9)).activity != nil,
            "a user may have chosen it just before"
        )
        #expect(try origin.answer(to: .sample(), at: .at(11)).refusalCode == .noLongerCurrent)
        origin.withhold(false, at: .at(20))
        #expect(isWithdrawal(at: .at(20)) == false)
        #expect(try origin.answer(to: .sample(), at: .at(20)).activity != nil)
    }
}
