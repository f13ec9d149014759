package import HandoffCrypto
package import HandoffModel

/// Decides when a directed advertisement replaces the one for all members, for a lagging member that may not have the
/// key of the latter.
///
/// Everything that is new is for all members first: nobody waits for a member that is away. A lagging member whose last
/// turns brought it, or that was heard lately, has a turn soon; one that has let turns pass is probably away, and has one
/// when nothing was new for a while. Between the turns the advertisement is for all again. Which member is next does not
/// depend on what is advertised, so that no member waits for ever.
///
/// Each slot has times of its own, which are drawn from the key of the slot: a rhythm that went on from slot to slot would
/// identify a device with a member that is away for good.
package struct DirectedAdvertisingSchedule: Sendable {
    /// The lengths of a turn in milliseconds: as for a withdrawal, long enough for a scanner that listens for one
    /// second in four, and up to a half more.
    package static let durations: Range<Int64> = 5280..<7920
    /// How long something new is for all before the first turn, in milliseconds: a period of a scanner that listens for one
    /// second in four, and up to a half more.
    package static let settling: Range<Int64> = 4000..<6000
    /// The pauses before the turn of a member that may be there, in milliseconds.
    package static let pauses: Range<Int64> = 6000..<12_000
    /// The pauses before the turn of a member that is probably away, in milliseconds.
    package static let longPauses: Range<Int64> = 150_000..<300_000
    /// How many turns a member lets pass before it counts as away.
    package static let maximumUnanswered = 2
    /// How long something new is for all before the turn of a member that is probably away: while its user is likely to go
    /// on elsewhere.
    package static let quiet = Duration.seconds(60)
    /// The longest that what is new may delay such a turn.
    package static let longestDelay = Duration.seconds(600)

    private struct Turn {
        let member: DeviceID
        let end: Duration
    }

    /// What is advertised to whom, as far as it decides on turns.
    private struct Subject: Hashable {
        let content: AdvertisementPacer.Content
        let slot: UInt64
        let circleDigest: [UInt8]
    }

    /// When the turns of one of the two kinds of members begin, as `uptime`.
    private struct Times {
        var present = Duration.zero
        var away = Duration.zero
        /// When a turn of a member that is away may not be delayed any more.
        var limit = Duration.zero
    }

    /// The members that were heard when this was called last.
    private var heard: Set<DeviceID> = []
    /// How many turns each member has let pass since it came, and the number of its last one.
    private var history: [DeviceID: (unanswered: Int, last: UInt64)] = [:]
    private var count: UInt64 = 0
    private var subject: Subject?
    private var random: SlotRandomness?
    private var times: Times?
    /// The slot of the times.
    private var slot: UInt64?
    private var turn: Turn?

    package init() {}

    /// Returns the member that has the turn, and the `uptime` at which to call again; the member is nil when the
    /// advertisement is for all.
    ///
    /// - Parameters:
    ///   - uptime: the present.
    ///   - broadcast: what is advertised; there are no turns for a withdrawal.
    ///   - key: the key under which it is advertised to all, from which the turns are drawn.
    ///   - circleDigest: the digest of the present circle.
    ///   - lagging: the members that have not acknowledged that circle; of those that have had no turn, the first comes first.
    ///   - heard: those that were heard lately.
    ///   - isReadByNone: whether no member can read the advertisement for all, as just after the first card was exchanged:
    ///     then the first turn comes at once.
    package mutating func advance(
        to uptime: Duration,
        advertising broadcast: AdvertisementPacer.Broadcast?,
        under key: SealingKey,
        circleDigest: [UInt8],
        for lagging: [DeviceID],
        heard: Set<DeviceID> = [],
        isReadByNone: Bool = false
    ) -> (member: DeviceID?, next: Duration?) {
        history = history.filter { lagging.contains($0.key) }
        for member in heard.subtracting(self.heard) { history[member]?.unanswered = 0 }
        self.heard = heard
        guard !lagging.isEmpty else { return end() }
        guard let broadcast, case .activity = broadcast.content else { return pause() }
        let subject = Subject(content: broadcast.content, slot: broadcast.slot, circleDigest: circleDigest)
        guard begin(subject, key, at: uptime), var times else { return end() }
        if let turn {
            guard turn.end <= uptime || !lagging.contains(turn.member) else { return (turn.member, turn.end) }
            endTurn(&times, at: uptime)
        }
        if isReadByNone, lagging.contains(where: { lastTurn(of: $0) == 0 }) { times.present = uptime }
        self.times = times
        let (member, time) = next(of: lagging, times)
        guard time <= uptime else { return (nil, time) }
        return beginTurn(of: member, at: uptime)
    }

    /// Records that somebody has come to this device, and wants to be heard: the advertisement is for all for a while, and
    /// then each member that counts as away has one turn as if it were there.
    package mutating func somebodyCame(at uptime: Duration) {
        for member in history.keys where isAway(member) { history[member]?.unanswered = Self.maximumUnanswered - 1 }
        guard let times else { return }
        turn = nil
        let (settled, paused) = (uptime + draw(Self.settling), uptime + draw(Self.longPauses))
        self.times?.present = max(times.present, settled)
        self.times?.away = max(times.away, paused)
    }

    private mutating func end() -> (member: DeviceID?, next: Duration?) {
        (subject, times, turn) = (nil, nil, nil)
        return (nil, nil)
    }

    /// Ends the turn while nothing can be continued; when members that are away have theirs stays as it was.
    private mutating func pause() -> (member: DeviceID?, next: Duration?) {
        (subject, turn) = (nil, nil)
        return (nil, nil)
    }

    /// Draws new times where something else is advertised than before; returns false when the key does not reach the slot.
    private mutating func begin(_ new: Subject, _ key: SealingKey, at uptime: Duration) -> Bool {
        guard subject != new else { return true }
        let (old, before) = (subject, times)
        // The digest changes with the key.
        if old?.slot != new.slot || old?.circleDigest != new.circleDigest || random == nil {
            guard let drawn = SlotRandomness(key: key, slot: new.slot, purpose: .turns) else { return false }
            random = drawn
        }
        let isSameSlot = slot == new.slot
        (subject, slot, turn) = (new, new.slot, nil)
        guard before != nil, !isSameSlot else {
            let settled = uptime + draw(Self.settling)
            let limit = before?.limit ?? uptime + Self.longestDelay
            let away = max(before?.away ?? settled, uptime + Self.quiet)
            times = Times(present: settled, away: max(min(away, limit), settled), limit: limit)
            return true
        }
        // The slot is new: the first turns may come at any time within a pause.
        times = Times(
            present: uptime + draw(Self.settling.lowerBound..<Self.pauses.upperBound),
            away: uptime + draw(Self.settling.lowerBound..<Self.longPauses.upperBound),
            limit: uptime + Self.longestDelay
        )
        return true
    }

    /// Returns the member that has the next turn, and when: of each kind the one whose last turn is the longest ago.
    private func next(of lagging: [DeviceID], _ times: Times) -> (member: DeviceID, at: Duration) {
        let ordered = lagging.enumerated().sorted {
            (lastTurn(of: $0.element), $0.offset) < (lastTurn(of: $1.element), $1.offset)
        }.map(\.element)
        let (present, away) = (ordered.first { !isAway($0) }, ordered.first(where: isAway))
        switch (present, away) {
        case (let present?, let away?):
            return times.away <= times.present ? (away, times.away) : (present, times.present)
        case (let present?, nil): return (present, times.present)
        case (nil, let away): return (away ?? lagging[0], times.away)
        }
    }

    private func lastTurn(of member: DeviceID) -> UInt64 { history[member]?.last ?? 0 }

    private func isAway(_ member: DeviceID) -> Bool {
        history[member].map { $0.unanswered >= Self.maximumUnanswered } ?? false
    }

    private mutating func beginTurn(of member: DeviceID, at uptime: Duration) -> (member: DeviceID?, next: Duration?) {
        let turn = Turn(member: member, end: uptime + draw(Self.durations))
        count += 1
        history[member, default: (0, 0)].last = count
        self.turn = turn
        return (member, turn.end)
    }

    /// Ends the turn; the next one comes after a pause for the kind of its member.
    private mutating func endTurn(_ times: inout Times, at uptime: Duration) {
        guard let turn else { return }
        let wasAway = isAway(turn.member)
        if turn.end <= uptime { history[turn.member]?.unanswered += 1 }
        self.turn = nil
        let pause = uptime + draw(Self.pauses)
        times.present = pause
        times.away = wasAway ? uptime + draw(Self.longPauses) : max(times.away, pause)
        if wasAway { times.limit = uptime + Self.longestDelay }
    }

    private mutating func draw(_ range: Range<Int64>) -> Duration {
        guard var random else { return .milliseconds(range.lowerBound) }
        defer { self.random = random }
        return .milliseconds(Int64.random(in: range, using: &random))
    }
}
