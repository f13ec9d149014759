package import HandoffModel
package import HandoffWire

/// The reports that this device owes to the origins of the activities with which its user goes on.
///
/// A take is here from its acknowledgement until its origin has noted the outcome. The session in which the activity
/// came carries the report while it is open, otherwise a session of its own does:
///
/// | state                     | the outcome is known | the session ends | its time is over |
/// |---------------------------|----------------------|------------------|------------------|
/// | continuing, session open  | reporting in session | continuing       | forgotten        |
/// | continuing                | due                  | —                | forgotten        |
/// | reporting in session      | —                    | noted: done, otherwise due | given up |
/// | due, until it is called   | —                    | —                | given up         |
/// | reporting in a session of its own | —            | noted: done, otherwise due, later each time | given up |
package struct TakeReports: Sendable {
    /// How long after its acknowledgement a take is reported.
    package static let lifetime = Duration.seconds(600)
    /// The largest number of takes, more than a user begins in ``lifetime``; a new one replaces the oldest.
    package static let maximum = 64
    /// The time after the first attempt that failed; it doubles with each.
    static let firstDelay = Duration.seconds(2)
    /// The longest time between two attempts.
    static let longestDelay = Duration.seconds(60)

    /// How an attempt to report ended.
    package enum Attempt: Hashable, Sendable {
        /// The origin has noted the report.
        case noted
        /// The origin has refused the report: it will never take it.
        case refused
        /// The session ended before the origin answered.
        case lost
    }

    private enum Phase: Sendable {
        case continuing(isSessionOpen: Bool)
        case reportingInSession(TakeOutcome)
        case due(TakeOutcome, notBefore: Duration)
        case reporting(TakeOutcome)
    }

    private struct Take: Sendable {
        let id: TakeID
        let device: DeviceID
        let until: Duration
        var delay = TakeReports.firstDelay
        var phase = Phase.continuing(isSessionOpen: true)
    }

    /// In the order in which they began.
    private var takes: [Take] = []

    package init() {}

    /// The number of takes.
    package var count: Int { takes.count }

    /// The `uptime` at which `expire(at:)` has something to do; nil for never.
    package var nextDeadline: Duration? { takes.map(\.until).min() }

    /// Begins a take whose activity this device acknowledges now, in a session that stays open.
    ///
    /// A take that is known already is the same one in a repeated session.
    package mutating func begin(_ id: TakeID, with device: DeviceID, at now: Moment) {
        if let index = index(of: id) {
            switch takes[index].phase {
            case .continuing: takes[index].phase = .continuing(isSessionOpen: true)
            case .due(let outcome, _): takes[index].phase = .reportingInSession(outcome)
            case .reportingInSession, .reporting: break
            }
            return
        }
        if takes.count >= Self.maximum { takes.removeFirst() }
        takes.append(Take(id: id, device: device, until: now.uptime + Self.lifetime))
    }

    /// Records how a take ended; an unknown take, which was never acknowledged, is ignored, and so is a second outcome.
    package mutating func end(_ id: TakeID, _ outcome: TakeOutcome, at now: Moment) {
        guard let index = index(of: id), case .continuing(let isSessionOpen) = takes[index].phase else { return }
        takes[index].phase = isSessionOpen ? .reportingInSession(outcome) : .due(outcome, notBefore: now.uptime)
    }

    /// Forgets a take whose outcome will never be known.
    package mutating func abandon(_ id: TakeID) {
        takes.removeAll { $0.id == id }
    }

    /// Returns the report that the open session of a take has to carry; nil while its outcome is not known.
    package func reportInSession(of id: TakeID) -> TakeReport? {
        guard let index = index(of: id), case .reportingInSession(let outcome) = takes[index].phase else { return nil }
        return TakeReport(id, outcome)
    }

    /// Records that the session in which the activity came has ended.
    package mutating func sessionEnded(_ id: TakeID, _ attempt: Attempt, at now: Moment) {
        guard let index = index(of: id) else { return }
        switch (takes[index].phase, attempt) {
        case (.continuing, .lost): takes[index].phase = .continuing(isSessionOpen: false)
        case (.reportingInSession, .noted), (.continuing, _), (.reportingInSession, .refused): takes.remove(at: index)
        case (.reportingInSession(let outcome), .lost):
            takes[index].phase = .due(outcome, notBefore: now.uptime)
        case (.due, _), (.reporting, _): break
        }
    }

    /// Returns the next report for a session of its own, and its origin; the caller reports how the attempt ended.
    ///
    /// - Parameter isHeard: whether a device is heard at present.
    package mutating func next(at now: Moment, where isHeard: (DeviceID) -> Bool) -> (
        device: DeviceID, report: TakeReport
    )? {
        for index in takes.indices {
            let take = takes[index]
            guard case .due(let outcome, let notBefore) = take.phase, notBefore <= now.uptime,
                take.until > now.uptime, isHeard(take.device)
            else { continue }
            takes[index].phase = .reporting(outcome)
            return (take.device, TakeReport(take.id, outcome))
        }
        return nil
    }

    /// Records how an attempt in a session of its own ended.
    package mutating func attemptEnded(_ id: TakeID, _ attempt: Attempt, at now: Moment) {
        guard let index = index(of: id), case .reporting(let outcome) = takes[index].phase else { return }
        guard attempt == .lost else {
            takes.remove(at: index)
            return
        }
        takes[index].phase = .due(outcome, notBefore: now.uptime + takes[index].delay)
        takes[index].delay = min(takes[index].delay * 2, Self.longestDelay)
    }

    /// Forgets the takes whose time is over, and returns the reports that no origin has noted, with the origins.
    package mutating func expire(at now: Moment) -> [(device: DeviceID, report: TakeReport)] {
        let expired = takes.filter { $0.until <= now.uptime }
        takes.removeAll { $0.until <= now.uptime }
        return expired.compactMap { take in
            switch take.phase {
            case .continuing: nil
            case .reportingInSession(let outcome), .due(let outcome, _), .reporting(let outcome):
                (take.device, TakeReport(take.id, outcome))
            }
        }
    }

    /// Forgets the takes of a device that is no longer trusted.
    package mutating func forget(_ device: DeviceID) {
        takes.removeAll { $0.device == device }
    }

    private func index(of id: TakeID) -> Int? { takes.firstIndex { $0.id == id } }
}
