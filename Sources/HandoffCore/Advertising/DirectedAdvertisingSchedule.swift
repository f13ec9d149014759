package import HandoffModel

/// Decides when an advertisement is, for a while, one that a single member can read: one that does not know the present
/// state of the circle, and perhaps not the key of everybody else's advertisement.
///
/// What is advertised is first for all. Then each lagging member has a turn, long enough to be heard by a scanner that
/// mostly rests; between the turns the advertisement is for all again, twice as long after each round.
package struct DirectedAdvertisingSchedule: Sendable {
    /// How long a turn is: as a farewell, long enough for a scanner that listens for one second in four.
    package static let duration = AdvertisementPacer.withdrawalDuration
    /// How long something new is told to all before the first turn.
    package static let shortestPause = Duration.seconds(6)
    /// The longest time between two turns.
    package static let longestPause = Duration.seconds(300)

    fileprivate struct Turn {
        let member: DeviceID
        let end: Duration
    }

    fileprivate struct Series {
        let content: AdvertisementPacer.Content
        let circleDigest: [UInt8]
        var turn: Turn?
        var lastMember: DeviceID?
        var pause = DirectedAdvertisingSchedule.shortestPause
        var nextTurn: Duration
    }

    private var series: Series?

    package init() {}

    /// Whose turn it is, and the `uptime` at which to ask again; nobody's when the advertisement is for all.
    ///
    /// - Parameters:
    ///   - uptime: now.
    ///   - content: what is on the air; there are no turns of a farewell.
    ///   - circleDigest: tells the present state of the circle from others.
    ///   - lagging: the members that do not know that state, in the order of their ids.
    package mutating func advance(
        to uptime: Duration,
        advertising content: AdvertisementPacer.Content?,
        circleDigest: [UInt8],
        for lagging: [DeviceID]
    ) -> (member: DeviceID?, next: Duration?) {
        guard let content, case .activity = content, !lagging.isEmpty else {
            series = nil
            return (nil, nil)
        }
        var series =
            self.series.flatMap { $0.content == content && $0.circleDigest == circleDigest ? $0 : nil }
            ?? Series(content: content, circleDigest: circleDigest, nextTurn: uptime + Self.shortestPause)
        series.endTurn(at: uptime, for: lagging)
        series.beginTurn(at: uptime, for: lagging)
        self.series = series
        return (series.turn?.member, series.turn?.end ?? series.nextTurn)
    }
}

extension DirectedAdvertisingSchedule.Series {
    fileprivate mutating func endTurn(at uptime: Duration, for lagging: [DeviceID]) {
        guard let turn, turn.end <= uptime || !lagging.contains(turn.member) else { return }
        self.turn = nil
        if !lagging.contains(where: { $0 > turn.member }) {
            pause = min(pause * 2, DirectedAdvertisingSchedule.longestPause)
        }
        nextTurn = uptime + pause
    }

    fileprivate mutating func beginTurn(at uptime: Duration, for lagging: [DeviceID]) {
        guard turn == nil, nextTurn <= uptime else { return }
        let member = lagging.first { id in lastMember.map { id > $0 } ?? true } ?? lagging[0]
        turn = DirectedAdvertisingSchedule.Turn(member: member, end: uptime + DirectedAdvertisingSchedule.duration)
        lastMember = member
    }
}
