import HandoffModel

/// What one device was heard to say during the slot of now, and what of that it says still.
///
/// Within a slot equal advertisements have equal bytes, so one that was recorded can be told from the device's own by
/// nothing but what else is on the air: a device says one thing at a time. What was not heard before in the slot is believed
/// at once. What was, and comes back, is believed once the device has stopped saying what it said since.
struct ReplayFilter: Hashable, Sendable {
    /// What a device says: which activity can be continued, or nil for none.
    typealias Content = ActivityTypeHash?

    /// How long something that comes back has to be heard, without a word of what was said since: an origin is heard four
    /// times and more meanwhile, and once by an old bluetoothd.
    static let confirmationTime = Duration.milliseconds(1500)
    /// The longest pause within that, or it begins anew: a scanner that rests hears nobody.
    static let longestPause = Duration.milliseconds(1000)
    /// How long a device has to be silent before anything counts as its word: two windows of a scanner that rests.
    static let quietPeriod = Duration.seconds(8)

    private struct Reappearance: Hashable {
        let content: Content
        let since: Duration
        var last: Duration
    }

    /// The slot under which the device seals.
    private(set) var slot: UInt64
    /// What it said last, as far as that is believed.
    private(set) var current: Content
    /// When that was heard last, as `uptime`.
    private(set) var lastHeard: Duration
    private var seen: Set<Content>
    private var reappearing: Reappearance?

    /// The device was heard for the first time.
    init(_ content: Content, slot: UInt64, at uptime: Duration) {
        self.slot = slot
        current = content
        lastHeard = uptime
        seen = [content]
    }

    /// Takes in that an advertisement was heard; whether it is the device's word.
    mutating func accepts(_ content: Content, slot: UInt64, at uptime: Duration) -> Bool {
        if slot != self.slot {
            // The device has gone on to the next slot; back only if its clock was set, after a while.
            guard slot > self.slot || uptime - lastHeard >= NearbyTable.timeout else { return false }
            self = ReplayFilter(content, slot: slot, at: uptime)
            return true
        }
        if content == current {
            (lastHeard, reappearing) = (uptime, nil)
            return true
        }
        guard !seen.contains(content) || uptime - lastHeard >= Self.quietPeriod || hasReappeared(content, at: uptime)
        else {
            return false
        }
        seen.insert(content)
        (current, lastHeard, reappearing) = (content, uptime, nil)
        return true
    }

    /// When a farewell counts that came back and was not contradicted since; nil when there is none.
    var withdrawalDeadline: Duration? {
        guard let reappearing, reappearing.content == nil else { return nil }
        return lastHeard + Self.quietPeriod
    }

    /// The device has said itself that what it seemed to say is over.
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
