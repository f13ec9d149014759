package import HandoffModel

/// Decides when a directed advertisement replaces the one for all members, for a lagging member that may not have the
/// key of the latter.
///
/// A new advertisement is first for all members. Then each lagging member has a turn, long enough to be received by a
/// duty-cycled scanner; between the turns the advertisement is for all again, for twice as long after each round.
package struct DirectedAdvertisingSchedule: Sendable {
    /// The length of a turn: as for a withdrawal, long enough for a scanner that listens for one second in four.
    package static let duration = AdvertisementPacer.withdrawalDuration
    /// How long a new advertisement is for all before the first turn.
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

    /// Returns the member that has the turn, and the `uptime` at which to call again; the member is nil when the
    /// advertisement is for all.
    ///
    /// - Parameters:
    ///   - uptime: the present.
    ///   - content: what is advertised; there are no turns for a withdrawal.
    ///   - circleDigest: the digest of the present circle.
    ///   - lagging: the members that have not acknowledged that circle, ordered by id.
    ///   - isHeard: whether all of them can read the advertisement for all; otherwise the first turn comes at once.
    package mutating func advance(
        to uptime: Duration,
        advertising content: AdvertisementPacer.Content?,
        circleDigest: [UInt8],
        for lagging: [DeviceID],
        isHeard: Bool = true
    ) -> (member: DeviceID?, next: Duration?) {
        guard let content, case .activity = content, !lagging.isEmpty else {
            series = nil
            return (nil, nil)
        }
        var series =
            self.series.flatMap { $0.content == content && $0.circleDigest == circleDigest ? $0 : nil }
            ?? Series(
                content: content,
                circleDigest: circleDigest,
                nextTurn: uptime + (isHeard ? Self.shortestPause : .zero)
            )
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
