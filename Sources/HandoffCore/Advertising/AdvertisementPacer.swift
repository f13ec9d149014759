package import HandoffModel

/// Decides what is on the air at each instant, so that neither other devices nor the radio are flooded.
///
/// What is wanted may change thousands of times a second; what is advertised changes at most once in half a second and
/// five times in ten seconds, and the last wish wins. When there is nothing to continue any more, a farewell says so for a
/// while, for others to drop the entry at once; then the air is silent, or a farewell for good when it is covered.
package struct AdvertisementPacer: Sendable {
    /// What a device has to tell.
    package enum Content: Hashable, Sendable {
        /// This activity can be continued.
        case activity(ActivityTypeHash, hasWebpage: Bool)
        /// There is nothing to continue any more.
        case withdrawal
    }

    /// One advertisement as it should be on the air.
    package struct Broadcast: Hashable, Sendable {
        package let content: Content
        /// The slot under whose keys it is sealed.
        package let slot: UInt64
        /// Whether others should hear it soon, because it is new.
        package let isFresh: Bool
    }

    /// The shortest time between two changes.
    package static let shortestGap = Duration.milliseconds(500)
    /// How many changes ``window`` admits.
    package static let changesPerWindow = 5
    /// The time in which changes are counted.
    package static let window = Duration.seconds(10)
    /// How long an advertisement counts as fresh.
    package static let freshness = Duration.seconds(30)
    /// How long a farewell is on the air: a whole cycle of a scanner that listens for one second in four, and once more
    /// the 1.28 s between two advertisements of an old bluetoothd.
    package static let withdrawalDuration = Duration.milliseconds(5280)

    private struct OnAir {
        var content: Content
        var since: Duration
        /// Whether ``since`` is when the radio had it on the air, and not yet when that was decided.
        var hasBegun = false
    }

    /// Whether "nothing to continue" is said for as long as it is so, so that the air does not tell.
    package var isCovering = false

    private var requested: Content?
    private var onAir: OnAir?
    private var changes: [Duration] = []

    package init() {}

    /// Says what should be told from now on; nil for nothing.
    package mutating func request(_ content: Content?) {
        requested = content
    }

    /// Says that a broadcast of that content has begun just now, which may be later than it was asked for.
    ///
    /// The first time counts: the same content in a new slot or at another pace is nothing new.
    package mutating func began(_ content: Content, at uptime: Duration) {
        guard let current = onAir, current.content == content, !current.hasBegun else { return }
        onAir?.since = uptime
        onAir?.hasBegun = true
    }

    /// What belongs on the air at `now`, and when to ask again at the latest (as `uptime`; nil for not at all).
    package mutating func advance(to now: Moment) -> (broadcast: Broadcast?, next: Duration?) {
        let target = target(at: now.uptime)
        if target != onAir?.content {
            let earliest = earliestChange(to: target)
            guard earliest <= now.uptime else {
                return (broadcast(at: now), min(earliest, nextDeadline(after: now) ?? earliest))
            }
            change(to: target, at: now.uptime)
        }
        return (broadcast(at: now), nextDeadline(after: now))
    }

    /// What the wish means for the air: a wish for nothing is a farewell first, if anything was said before.
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
        // A farewell waits for the gap only: what it takes back has been counted already.
        guard target != .withdrawal, changes.count == Self.changesPerWindow else { return afterGap }
        return max(afterGap, changes[0] + Self.window)
    }

    private mutating func change(to target: Content?, at uptime: Duration) {
        onAir = target.map { OnAir(content: $0, since: uptime) }
        guard target != nil else { return }
        changes.append(uptime)
        if changes.count > Self.changesPerWindow { changes.removeFirst() }
    }

    private func broadcast(at now: Moment) -> Broadcast? {
        onAir.map {
            Broadcast(content: $0.content, slot: now.slot, isFresh: now.uptime - $0.since < Self.freshness)
        }
    }

    private func nextDeadline(after now: Moment) -> Duration? {
        guard let onAir else { return nil }
        if onAir.content == .withdrawal, requested == nil, !isCovering { return onAir.since + Self.withdrawalDuration }
        let slotEnd = now.uptime + now.timeToNextSlot
        let freshEnd = onAir.since + Self.freshness
        return freshEnd > now.uptime ? min(slotEnd, freshEnd) : slotEnd
    }
}
