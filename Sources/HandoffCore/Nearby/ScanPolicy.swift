/// Decides how much a device scans for its circle: fully while somebody looks or has just come, and ever less while no
/// device of the circle is heard.
///
/// Scanning costs the battery of this device, and air time that the adapter's other connections share, such as
/// headphones.
package struct ScanPolicy: Sendable {
    /// How much to scan.
    package enum Effort: Hashable, Sendable {
        case none
        /// In windows of ``window``, with that pause between them.
        case windows(rest: Duration)
        case continuous
    }

    /// Why a device scans less than for somebody who is there and has others near.
    package enum Restraint: Hashable, Sendable {
        /// The session is locked or idle.
        case away
        /// Sound is going over this adapter.
        case sound
        /// No device of the circle was heard for a while.
        case unheard
    }

    /// How much to scan, and why not more.
    package struct Decision: Hashable, Sendable {
        package let effort: Effort
        /// Nil while the device scans continuously, or as often as it does when it has just heard others.
        package var restraint: Restraint?
        /// When the effort changes by itself; nil when it does not.
        package var until: Duration?
    }

    /// What decides besides the time.
    package struct Situation: Hashable, Sendable {
        /// Whether a program shows what is nearby at this moment.
        package var isLooking = false
        /// Whether the session is locked or idle.
        package var isAway = false
        /// Whether sound is going over this adapter.
        package var isPlayingAudio = false

        package init(isLooking: Bool = false, isAway: Bool = false, isPlayingAudio: Bool = false) {
            self.isLooking = isLooking
            self.isAway = isAway
            self.isPlayingAudio = isPlayingAudio
        }
    }

    /// The duration of a window: long enough to hear an advertiser at 417.5 ms twice.
    package static let window = Duration.seconds(1)
    /// How long a device scans fully after somebody has come back to it.
    package static let arrival = Duration.seconds(10)

    /// The pauses between windows, each with the time for which the circle was not heard at most.
    private static let stages: [(silence: Duration, rest: Duration)] = [
        (.seconds(120), .seconds(3)),
        (.seconds(600), .seconds(14)),
    ]
    /// The pause after all stages: 1.1 % of the time is spent in windows.
    private static let longestRest = Duration.seconds(89)

    /// When somebody came last to this device; nil when nobody has yet.
    private var arrivedAt: Duration?
    /// When a device of the circle was heard last, or could have been for the first time.
    private var heardAt: Duration

    package init(at uptime: Duration) {
        heardAt = uptime
    }

    /// Records that a device of the circle was heard.
    package mutating func heard(at uptime: Duration) { heardAt = max(heardAt, uptime) }

    /// Records that somebody has come back to this device, such as by unlocking it.
    package mutating func arrived(at uptime: Duration) {
        arrivedAt = uptime
        heard(at: uptime)
    }

    /// Returns how much to scan now, why not more, and when that changes by itself.
    package func decision(in situation: Situation, at uptime: Duration) -> Decision {
        if situation.isLooking { return Decision(effort: .continuous) }
        if situation.isAway { return Decision(effort: .none, restraint: .away) }
        if situation.isPlayingAudio { return Decision(effort: .none, restraint: .sound) }
        if let end = arrivedAt.map({ $0 + Self.arrival }), uptime < end {
            return Decision(effort: .continuous, until: end)
        }
        for (number, stage) in Self.stages.enumerated() where uptime < heardAt + stage.silence {
            return Decision(
                effort: .windows(rest: stage.rest),
                restraint: number == 0 ? nil : .unheard,
                until: heardAt + stage.silence
            )
        }
        return Decision(effort: .windows(rest: Self.longestRest), restraint: .unheard)
    }
}
