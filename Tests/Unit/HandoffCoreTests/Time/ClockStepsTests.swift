import TestLimits
import Testing

@testable import HandoffCore

@Suite("The setting of the clock is noticed", .endsWithin(minutes: 10))
struct ClockStepsTests {
    private static let start = Moment.at(0)

    /// An instant `seconds` after the start, whose clock was set ahead meanwhile.
    private static func moment(_ seconds: Double, ahead: Int64 = 0) -> Moment {
        let moment = Moment.at(seconds)
        return Moment(uptime: moment.uptime, unixMicroseconds: moment.unixMicroseconds + ahead * 1_000_000)
    }

    @Test("A clock that goes on is not set, however long ago it was looked at, and whatever a time server corrects")
    func goesOn() {
        var clock = ClockSteps(at: Self.start)
        var ahead: Int64 = 0
        for day in 0..<400 {
            ahead += 43
            #expect(clock.advance(to: Self.moment(Double(day) * 86_400, ahead: ahead)) == nil)
        }
        #expect(clock.latest == nil)
    }

    @Test("A step of a minute or more is noticed once, with its way", arguments: [60, -60, 86_400, -400 * 86_400])
    func step(seconds: Int64) {
        var clock = ClockSteps(at: Self.start)
        let step = ClockSteps.Step(at: Self.moment(10).uptime, ahead: .seconds(seconds))
        #expect(clock.advance(to: Self.moment(10, ahead: seconds)) == step)
        #expect(clock.advance(to: Self.moment(20, ahead: seconds)) == nil)
        #expect(clock.latest == step)
        #expect(clock.advance(to: Self.moment(30))?.ahead == .seconds(-seconds))
    }

    @Test("The clock counts as right an hour after the start, and after the last step")
    func settled() {
        var clock = ClockSteps(at: Self.start)
        #expect(clock.settledAt == Self.moment(3600).uptime)
        _ = clock.advance(to: Self.moment(1000, ahead: 3600))
        #expect(clock.settledAt == Self.moment(4600).uptime)
    }

    @Test(
        "A person reads how far the clock was set",
        arguments: [
            (60, "ahead by 1 minute"), (-600, "back by 10 minutes"), (7200, "ahead by 2 hours"),
            (-86_400, "back by 24 hours"), (400 * 86_400, "ahead by 400 days"),
        ] as [(Int64, String)]
    )
    func text(seconds: Int64, text: String) {
        #expect(ClockSteps.Step(at: .zero, ahead: .seconds(seconds)).text == text)
    }
}
