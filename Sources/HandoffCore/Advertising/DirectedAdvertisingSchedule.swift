package import HandoffCrypto
package import HandoffModel

/// Decides when a directed advertisement replaces the one for all members, for a lagging member that may not have the
/// key of the latter.
///
/// A new advertisement is first for all members. Then each lagging member has a turn, long enough to be received by a
/// duty-cycled scanner; between the turns the advertisement is for all again, for about twice as long after each round.
/// Each slot has a series of turns of its own, whose beginning and lengths are drawn from the key of the slot: a rhythm
/// that went on from slot to slot would identify a device with a member that is away for good.
package struct DirectedAdvertisingSchedule: Sendable {
    /// The lengths of a turn in milliseconds: as for a withdrawal, long enough for a scanner that listens for one
    /// second in four, and up to a half more.
    package static let durations: Range<Int64> = 5280..<7920
    /// The shortest pauses in milliseconds: how long a new advertisement is for all before the first turn.
    package static let shortestPauses: Range<Int64> = 6000..<12_000
    /// The longest pauses between two turns in milliseconds.
    package static let longestPauses: Range<Int64> = 150_000..<300_000

    fileprivate struct Turn {
        let member: DeviceID
        let end: Duration
    }

    fileprivate struct Series {
        let broadcast: AdvertisementPacer.Broadcast
        let circleDigest: [UInt8]
        var random: SlotRandomness
        var turn: Turn?
        var lastMember: DeviceID?
        /// The range of the next pauses, in milliseconds.
        var pauses = DirectedAdvertisingSchedule.shortestPauses
        var nextTurn = Duration.zero
    }

    private var series: Series?

    package init() {}

    /// Returns the member that has the turn, and the `uptime` at which to call again; the member is nil when the
    /// advertisement is for all.
    ///
    /// - Parameters:
    ///   - uptime: the present.
    ///   - broadcast: what is advertised; there are no turns for a withdrawal.
    ///   - key: the key under which it is advertised to all, from which the turns are drawn.
    ///   - circleDigest: the digest of the present circle.
    ///   - lagging: the members that have not acknowledged that circle, ordered by id.
    ///   - isHeard: whether all of them can read the advertisement for all; otherwise the first turn comes at once.
    package mutating func advance(
        to uptime: Duration,
        advertising broadcast: AdvertisementPacer.Broadcast?,
        under key: SealingKey,
        circleDigest: [UInt8],
        for lagging: [DeviceID],
        isHeard: Bool = true
    ) -> (member: DeviceID?, next: Duration?) {
        guard let broadcast, case .activity = broadcast.content, !lagging.isEmpty,
            var series = continued(broadcast, circleDigest) ?? begun(broadcast, key, circleDigest, isHeard, at: uptime)
        else {
            series = nil
            return (nil, nil)
        }
        series.endTurn(at: uptime, for: lagging)
        series.beginTurn(at: uptime, for: lagging)
        self.series = series
        return (series.turn?.member, series.turn?.end ?? series.nextTurn)
    }

    /// Returns the series if it is of the same slot and content.
    private func continued(_ broadcast: AdvertisementPacer.Broadcast, _ circleDigest: [UInt8]) -> Series? {
        guard let series, series.broadcast.slot == broadcast.slot, series.broadcast.content == broadcast.content,
            series.circleDigest == circleDigest
        else { return nil }
        return series
    }

    /// Returns a new series; nil when the key does not reach the slot.
    ///
    /// Where only the slot is new, the pauses are as long as they were, and the first turn may come at any time within
    /// one.
    private func begun(
        _ broadcast: AdvertisementPacer.Broadcast,
        _ key: SealingKey,
        _ circleDigest: [UInt8],
        _ isHeard: Bool,
        at uptime: Duration
    ) -> Series? {
        guard let random = SlotRandomness(key: key, slot: broadcast.slot, purpose: .turns) else { return nil }
        var begun = Series(broadcast: broadcast, circleDigest: circleDigest, random: random)
        var first = Self.shortestPauses
        if let series, series.broadcast.content == broadcast.content, series.circleDigest == circleDigest {
            begun.lastMember = series.lastMember
            begun.pauses = series.pauses
            first = first.lowerBound..<series.pauses.upperBound
        }
        let isNew = begun.lastMember == nil
        let pause = Duration.milliseconds(Int64.random(in: first, using: &begun.random))
        begun.nextTurn = isNew && !isHeard ? uptime : uptime + pause
        return begun
    }
}

extension DirectedAdvertisingSchedule.Series {
    fileprivate mutating func endTurn(at uptime: Duration, for lagging: [DeviceID]) {
        guard let turn, turn.end <= uptime || !lagging.contains(turn.member) else { return }
        self.turn = nil
        if !lagging.contains(where: { $0 > turn.member }) {
            let longest = DirectedAdvertisingSchedule.longestPauses
            pauses = pauses.upperBound < longest.lowerBound ? pauses.lowerBound * 2..<pauses.upperBound * 2 : longest
        }
        nextTurn = uptime + .milliseconds(Int64.random(in: pauses, using: &random))
    }

    fileprivate mutating func beginTurn(at uptime: Duration, for lagging: [DeviceID]) {
        guard turn == nil, nextTurn <= uptime else { return }
        let member = lagging.first { id in lastMember.map { id > $0 } ?? true } ?? lagging[0]
        let duration = Int64.random(in: DirectedAdvertisingSchedule.durations, using: &random)
        turn = DirectedAdvertisingSchedule.Turn(member: member, end: uptime + .milliseconds(duration))
        lastMember = member
    }
}
