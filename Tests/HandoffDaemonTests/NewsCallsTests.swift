import HandoffCore
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("How often a device is called because of news", .endsWithin(minutes: 10))
struct NewsCallsTests {
    private func moment(_ seconds: Int64) -> Moment {
        Moment(uptime: .seconds(seconds), unixMicroseconds: 1_800_000_000_000_000 + seconds * 1_000_000)
    }

    @Test("never without news or an invitation, and once in a slot with news")
    func news() {
        var calls = NewsCalls()
        let results = [
            calls.begin(at: moment(0), hasNews: false), calls.begin(at: moment(1), hasNews: true),
            calls.begin(at: moment(2), hasNews: true), calls.begin(at: moment(899), hasNews: true),
            calls.begin(at: moment(900), hasNews: true),
        ]
        #expect(results == [false, true, false, false, true])
    }

    @Test("an invitation is followed three times in a slot, whatever is replayed, and not right after a call")
    func invitations() {
        var calls = NewsCalls()
        var followed: [Int64] = []
        for second in 0..<Int64(900) {
            calls.invited(at: moment(second))
            if calls.begin(at: moment(second), hasNews: false) { followed.append(second) }
        }
        #expect(followed == [0, 10, 20])
    }
}
