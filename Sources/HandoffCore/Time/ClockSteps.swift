/// Notices when the wall clock is set: it has then gone on by another time than the clock that never jumps.
package struct ClockSteps: Hashable, Sendable {
    /// One step of the wall clock.
    package struct Step: Hashable, Sendable {
        /// When it was noticed, as `uptime`.
        package let at: Duration
        /// How far the clock was set ahead; negative when it was set back.
        package let ahead: Duration

        /// The step as a person reads it, such as `back by 2 hours`.
        package var text: String {
            let minutes = abs(ahead.components.seconds) / 60
            let time =
                switch minutes {
                case ..<120: "\(minutes) \(minutes == 1 ? "minute" : "minutes")"
                case ..<2880: "\((minutes + 30) / 60) hours"
                default: "\((minutes + 720) / 1440) days"
                }
            return "\(ahead < .zero ? "back" : "ahead") by \(time)"
        }
    }

    /// The shortest step that counts: shorter ones are those of time servers, which hardly change a slot or a day.
    package static let shortest = Duration.seconds(60)
    /// For how long after a start or a step the clock may be set right: time servers answer some seconds after a login.
    package static let settling = Duration.seconds(3600)

    private var last: Moment
    /// When the run has begun, as `uptime`.
    private let start: Duration
    /// The last step of this run; nil before the first one.
    package private(set) var latest: Step?

    /// Begins at the start of the device's run.
    package init(at now: Moment) {
        (last, start) = (now, now.uptime)
    }

    /// Returns the step of the clock since the last call; nil when it was not set.
    package mutating func advance(to now: Moment) -> Step? {
        let (wall, uptime) = (now.unixMicroseconds - last.unixMicroseconds, now.uptime - last.uptime)
        let ahead = Duration.microseconds(wall) - uptime
        last = now
        guard ahead.magnitude >= Self.shortest else { return nil }
        let step = Step(at: now.uptime, ahead: ahead)
        latest = step
        return step
    }

    /// When the clock counts as right, as `uptime`: when it was not set for ``settling``.
    package var settledAt: Duration { (latest?.at ?? start) + Self.settling }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
