import HandoffModel
import HandoffWire
import TestLimits
import Testing

@testable import HandoffCore

@Suite("A device reports to the origin how its user went on with an activity", .endsWithin(minutes: 10))
struct TakeReportsTests {
    var reports = TakeReports()
    let take: TakeID
    let origin: DeviceID
    private let outcome = TakeOutcome.continued(.app)

    init() throws {
        take = try .sample(1)
        origin = try .sample(9)
    }

    private mutating func next(at seconds: Double, isHeard: Bool = true) -> TakeReport? {
        reports.next(at: .at(seconds)) { _ in isHeard }?.report
    }

    @Test("The open session carries the report, and no other session does once it is noted")
    mutating func inSession() {
        reports.begin(take, with: origin, at: .at(0))
        #expect(reports.reportInSession(of: take) == nil)
        reports.end(take, outcome, at: .at(1))
        #expect(reports.reportInSession(of: take) == TakeReport(take, outcome))
        #expect(next(at: 1) == nil)
        reports.sessionEnded(take, .noted, at: .at(2))
        #expect(next(at: 3) == nil)
        #expect(reports.count == 0)
    }

    @Test("A report whose session is lost goes out at once in a session of its own, to the origin alone")
    mutating func lostSession() throws {
        reports.begin(take, with: origin, at: .at(0))
        reports.end(take, outcome, at: .at(1))
        reports.sessionEnded(take, .lost, at: .at(2))
        #expect(reports.reportInSession(of: take) == nil)
        let next = try #require(reports.next(at: .at(2)) { $0 == origin })
        #expect(next.device == origin)
        #expect(next.report == TakeReport(take, outcome))
        #expect(self.next(at: 2) == nil, "it is on its way")
        reports.attemptEnded(take, .noted, at: .at(3))
        #expect(reports.count == 0)
    }

    @Test("An outcome that comes after the session is reported in a session of its own")
    mutating func lateOutcome() {
        reports.begin(take, with: origin, at: .at(0))
        reports.sessionEnded(take, .lost, at: .at(5))
        #expect(next(at: 6) == nil)
        reports.end(take, .failed(.appFailed), at: .at(30))
        #expect(next(at: 30) == TakeReport(take, .failed(.appFailed)))
    }

    @Test("Attempts are repeated at growing intervals while the origin is heard, and not beyond ten minutes")
    mutating func repetition() {
        reports.begin(take, with: origin, at: .at(0))
        reports.sessionEnded(take, .lost, at: .at(0))
        reports.end(take, outcome, at: .at(0))
        #expect(next(at: 0, isHeard: false) == nil)
        var (times, now) = ([Double](), 0.0)
        while now < 700 {
            if next(at: now) != nil {
                times.append(now)
                reports.attemptEnded(take, .lost, at: .at(now))
            }
            now += 1
        }
        #expect(times == [0, 2, 6, 14, 30, 62, 122, 182, 242, 302, 362, 422, 482, 542])
        let given = reports.expire(at: .at(700))
        #expect(given.map(\.report) == [TakeReport(take, outcome)])
        #expect(reports.count == 0)
    }

    @Test("A take without an outcome is forgotten silently, and so is one that is abandoned or whose origin is removed")
    mutating func forgotten() throws {
        for number in UInt8(1)...3 { try reports.begin(.sample(number), with: .sample(number), at: .at(0)) }
        reports.abandon(try .sample(1))
        reports.forget(try .sample(2))
        #expect(reports.count == 1)
        #expect(reports.nextDeadline == Moment.at(600).uptime)
        #expect(reports.expire(at: .at(600)).isEmpty)
        #expect(reports.count == 0)
    }

    @Test("A take that was never acknowledged is not reported")
    mutating func unknown() {
        reports.end(take, outcome, at: .at(0))
        #expect(next(at: 1) == nil)
        #expect(reports.count == 0)
    }

    @Test("However many takes are open, their number is bounded, and the newest are kept")
    mutating func bounded() throws {
        for number in UInt8.min...UInt8.max { reports.begin(try .sample(number), with: origin, at: .at(0)) }
        #expect(reports.count == TakeReports.maximum)
        reports.end(try .sample(255), outcome, at: .at(1))
        #expect(reports.reportInSession(of: try .sample(255)) != nil)
    }

    /// What happens to a take.
    private enum Event: CaseIterable {
        case begin, continued, failed, sessionLost, sessionNoted, next, attemptLost, attemptNoted, attemptRefused,
            expire
    }

    @Test(
        "In every order of five events, the first outcome is reported, one way at a time, and never after it is noted"
    )
    func everyOrder() {
        var count = 0
        Self.forEachSequence(of: 5) { events in
            count += 1
            check([.begin] + events)
        }
        #expect(count == 100_000)
    }

    /// Follows one sequence of events, and expects what holds for each of them.
    private func check(_ events: [Event]) {
        var reports = TakeReports()
        var (first, isNoted, isCalling, second) = (TakeOutcome?.none, false, false, 0.0)
        for event in events {
            second += 100
            let known = reports.count
            let inSession = reports.reportInSession(of: take)
            switch event {
            case .begin:
                // A take that is over does not begin again: its number is used once.
                guard known > 0 || event == events[0] && first == nil && !isNoted else { continue }
                reports.begin(take, with: origin, at: .at(0))
            case .continued, .failed:
                let outcome: TakeOutcome = event == .continued ? .continued(.app) : .failed(.cancelled)
                reports.end(take, outcome, at: .at(second))
                if known > 0 { first = first ?? outcome }
            case .sessionLost: reports.sessionEnded(take, .lost, at: .at(second))
            case .sessionNoted:
                guard inSession != nil else { continue }
                reports.sessionEnded(take, .noted, at: .at(second))
                isNoted = true
            case .next:
                guard let report = reports.next(at: .at(second), where: { _ in true })?.report else { continue }
                expectReport(report, first, isNoted, isCalling || inSession != nil, events)
                isCalling = true
            case .attemptLost, .attemptNoted, .attemptRefused:
                guard isCalling else { continue }
                isCalling = false
                isNoted = isNoted || event != .attemptLost
                let attempt: TakeReports.Attempt =
                    event == .attemptLost ? .lost : event == .attemptNoted ? .noted : .refused
                reports.attemptEnded(take, attempt, at: .at(second))
            case .expire:
                isNoted = true
                _ = reports.expire(at: .at(1000))
            }
            if let report = reports.reportInSession(of: take) {
                expectReport(report, first, isNoted, isCalling, events)
            }
            if isNoted, reports.count > 0 { Issue.record("still known after \(events)") }
        }
    }

    private func expectReport(
        _ report: TakeReport,
        _ first: TakeOutcome?,
        _ isNoted: Bool,
        _ isElsewhere: Bool,
        _ events: [Event]
    ) {
        guard report.outcome != first || isNoted || isElsewhere else { return }
        Issue.record("\(report.outcome) is reported after \(events)")
    }

    private static func forEachSequence(of length: Int, _ body: ([Event]) -> Void, _ prefix: [Event] = []) {
        guard prefix.count < length else { return body(prefix) }
        for event in Event.allCases { forEachSequence(of: length, body, prefix + [event]) }
    }
}
