import HandoffModel

/// A replay filter for one device: what it has advertised during the current slot, and which of that is still current.
///
/// Within a slot, equal advertisements have equal bytes, so a recorded one can be told from the device's own only by
/// what else is received: a device advertises one thing at a time. Content that was not heard before in the slot is
/// accepted at once. Content that was heard before and reappears is accepted once the device has stopped advertising
/// what it advertised in between.
struct ReplayFilter: Hashable, Sendable {
    /// What a device advertises: an activity that can be continued, or nil for none.
    typealias Content = AdvertisedActivity?

    /// How long reappearing content has to be heard without any of the content since: an origin is heard four times and
    /// more in that time, and once from an old bluetoothd.
    static let confirmationTime = Duration.milliseconds(1500)
    /// The longest pause within that time, after which it starts again: a duty-cycled scanner receives nothing while it
    /// rests.
    static let longestPause = Duration.milliseconds(1000)
    /// How long a device must not be heard before any content is accepted: two windows of a duty-cycled scanner.
    static let quietPeriod = Duration.seconds(8)

    /// The most contents that are remembered in a slot: the pacer allows an origin 450 changes in 900 s.
    ///
    /// Any member can forge more of them; beyond that, content that was not heard before counts as content that
    /// reappears.
    static let maximumContents = 512

    private struct Reappearance: Hashable {
        let content: Content
        let since: Duration
        var last: Duration
    }

    /// The slot under whose keys the device seals.
    private(set) var slot: UInt64
    /// The last accepted content.
    private(set) var current: Content
    /// When that was last heard, as `uptime`.
    private(set) var lastHeard: Duration
    private var seen: Set<Content>
    private var reappearing: Reappearance?

    /// Creates the filter of a device that was heard for the first time.
    init(_ content: Content, slot: UInt64, at uptime: Duration) {
        self.slot = slot
        current = content
        lastHeard = uptime
        seen = [content]
    }

    /// Records an advertisement, and returns whether it is accepted as the device's own.
    mutating func accepts(_ content: Content, slot: UInt64, at uptime: Duration) -> Bool {
        if slot != self.slot {
            // The device has moved on to the next slot; an earlier one is plausible only if its clock was set, after a
            // while.
            guard slot > self.slot || uptime - lastHeard >= NearbyTable.timeout else { return false }
            self = ReplayFilter(content, slot: slot, at: uptime)
            return true
        }
        if content == current {
            (lastHeard, reappearing) = (uptime, nil)
            return true
        }
        let isKnown = seen.contains(content) || seen.count >= Self.maximumContents
        guard !isKnown || uptime - lastHeard >= Self.quietPeriod || hasReappeared(content, at: uptime)
        else {
            return false
        }
        if seen.count < Self.maximumContents { seen.insert(content) }
        (current, lastHeard, reappearing) = (content, uptime, nil)
        return true
    }

    /// The number of contents that are remembered of the slot.
    var contents: Int { seen.count }

    /// When a reappeared withdrawal that was not contradicted since is accepted; nil when there is none.
    var withdrawalDeadline: Duration? {
        guard let reappearing, reappearing.content == nil else { return nil }
        return lastHeard + Self.quietPeriod
    }

    /// Records that the device itself has answered that its advertised activity is no longer current.
    mutating func markCurrentAsEnded(at uptime: Duration) {
        (current, lastHeard, reappearing) = (nil, uptime, nil)
    }

    private mutating func hasReappeared(_ content: Content, at uptime: Duration) -> Bool {
        if var known = reappearing, known.content == content, uptime - known.last <= Self.longestPause {
            known.last = uptime
            reappearing = known
            return uptime - known.since >= Self.confirmationTime
        }
        reappearing = Reappearance(content: content, since: uptime, last: uptime)
        return false
    }
}
