package import HandoffModel

/// Decides what is advertised at each moment, and limits how often it changes, for the sake of other devices and the
/// radio.
///
/// Requests may change thousands of times a second; the advertisement changes at most once in half a second and five
/// times in ten seconds, and the last request wins. When there is nothing to continue any more, a withdrawal
/// advertisement is sent for a while, so that others drop the entry at once; after that nothing is advertised, or with
/// cover advertisements the withdrawal continues.
package struct AdvertisementPacer: Sendable {
    /// What a device advertises.
    package enum Content: Hashable, Sendable {
        /// This activity can be continued.
        case activity(AdvertisedActivity, hasWebpage: Bool, hasDocument: Bool = false)
        /// There is nothing to continue any more.
        case withdrawal
    }

    /// One advertisement to send.
    package struct Broadcast: Hashable, Sendable {
        package let content: Content
        /// The slot under whose keys it is sealed.
        package let slot: UInt64
        /// Whether it is new, so that others should receive it soon.
        package let isFresh: Bool
    }

    /// The shortest time between two changes.
    package static let shortestGap = Duration.milliseconds(500)
    /// How many changes are allowed in ``window``.
    package static let changesPerWindow = 5
    /// The time in which changes are counted.
    package static let window = Duration.seconds(10)
    /// How long an advertisement counts as fresh: while its user is about to go on elsewhere (decision 40).
    package static let freshness = Duration.seconds(600)
    /// How long a withdrawal is advertised: a whole cycle of a scanner that listens for one second in four, plus the
    /// 1.28 s between two advertisements of an old bluetoothd.
    package static let withdrawalDuration = Duration.milliseconds(5280)

    private struct OnAir {
        var content: Content
        var since: Duration
        /// Whether ``since`` is when the radio began to advertise it, rather than when that was decided.
        var hasBegun = false
    }

    /// Whether the withdrawal is advertised for as long as there is nothing to continue, so that outsiders cannot tell
    /// the two states apart.
    package var isCovering = false

    private var requested: Content?
    private var onAir: OnAir?
    private var changes: [Duration] = []
    /// The last slot under whose keys something was advertised.
    private var slot: UInt64?

    package init() {}

    /// Sets what should be advertised from now on; nil for nothing.
    package mutating func request(_ content: Content?) {
        requested = content
    }

    /// Records that the radio has just begun to advertise that content, which may be later than requested.
    ///
    /// Only the first time counts: the same content in a new slot or at another interval is not new.
    package mutating func began(_ content: Content, at uptime: Duration) {
        guard let current = onAir, current.content == content, !current.hasBegun else { return }
        onAir?.since = uptime
        onAir?.hasBegun = true
    }

    /// Returns what to advertise at `now`, and when to call again at the latest (as `uptime`; nil for not at all).
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - schedule: when the slots change.
    package mutating func advance(
        to now: Moment,
        by schedule: SlotSchedule = .atBorder
    ) -> (broadcast: Broadcast?, next: Duration?) {
        let slot = slot(at: now, by: schedule)
        let slotEnd = now.uptime + schedule.timeUntilNext(after: slot, at: now)
        let target = target(at: now.uptime)
        if target != onAir?.content {
            let earliest = earliestChange(to: target)
            guard earliest <= now.uptime else {
                return (broadcast(in: slot, at: now), min(earliest, nextDeadline(after: now, slotEnd) ?? earliest))
            }
            change(to: target, at: now.uptime)
        }
        return (broadcast(in: slot, at: now), nextDeadline(after: now, slotEnd))
    }

    /// Returns the slot to advertise in.
    ///
    /// It does not go back to the slot before when the key changes, and with it the delay: other devices would take that
    /// for a replay.
    private mutating func slot(at now: Moment, by schedule: SlotSchedule) -> UInt64 {
        let slot = self.slot == now.slot ? now.slot : schedule.slot(at: now)
        self.slot = slot
        return slot
    }

    /// Returns what to advertise for the current request: a request for nothing is a withdrawal first, if anything was
    /// advertised before.
    private func target(at uptime: Duration) -> Content? {
        if let requested { return requested }
        if isCovering { return .withdrawal }
        guard let onAir else { return nil }
        if onAir.content != .withdrawal { return .withdrawal }
        return uptime - onAir.since < Self.withdrawalDuration ? .withdrawal : nil
    }

    private func earliestChange(to target: Content?) -> Duration {
        guard let last = changes.last, target != nil else { return .zero }
        let afterGap = last + Self.shortestGap
        // A withdrawal waits for the gap only: the advertisement that it withdraws has been counted already.
        guard target != .withdrawal, changes.count == Self.changesPerWindow else { return afterGap }
        return max(afterGap, changes[0] + Self.window)
    }

    private mutating func change(to target: Content?, at uptime: Duration) {
        onAir = target.map { OnAir(content: $0, since: uptime) }
        guard target != nil else { return }
        changes.append(uptime)
        if changes.count > Self.changesPerWindow { changes.removeFirst() }
    }

    private func broadcast(in slot: UInt64, at now: Moment) -> Broadcast? {
        onAir.map {
            Broadcast(content: $0.content, slot: slot, isFresh: now.uptime - $0.since < Self.freshness)
        }
    }

    private func nextDeadline(after now: Moment, _ slotEnd: Duration) -> Duration? {
        guard let onAir else { return nil }
        if onAir.content == .withdrawal, requested == nil, !isCovering { return onAir.since + Self.withdrawalDuration }
        let freshEnd = onAir.since + Self.freshness
        return freshEnd > now.uptime ? min(slotEnd, freshEnd) : slotEnd
    }
}
