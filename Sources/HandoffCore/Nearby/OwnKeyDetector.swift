import HandoffCrypto

/// Detects advertisements under this device's own key that it has not sent, and whether a copy of this device sends them.
///
/// Another machine with a copy of the state sends such advertisements, but so can every device of the circle, since all
/// know the key. An advertisement alone is therefore a hint, which expires. A copy is proved by a session in which both
/// sides use this device's private key: the sender of the hint is called, once in a slot (Docs/Protocol.md, "Copies of a
/// device").
///
/// A device that has just started, or whose clock was set, does not know what it sent before: advertisements of slots up to
/// that are ignored, because anyone could have recorded them.
package struct OwnKeyDetector: Sendable {
    /// How long an advertisement is reported without another one being heard.
    package static let lifetime = Duration.seconds(3600)
    /// The number of own calls that are remembered: more than are made while a listener waits for a first message.
    private static let maximumCalls = 8
    /// The number of bytes that identify a first message: its length and its ephemeral key; what follows may be cut.
    private static let identifyingBytes = 2 + 32

    private var startSlot: UInt64
    private var lastHeard: Duration?
    /// Where such an advertisement was last heard.
    ///
    /// Its sender's address changes with every advertisement, so that a call that is under way goes on with the newest.
    package private(set) var latestEndpoint: PeerEndpoint?
    /// Whether such an advertisement was heard whose sender was not called yet.
    private var isUncalled = false
    private var calledSlot: UInt64?
    /// The beginnings of the first messages of the calls to a possible copy, the newest last.
    private var calls: [[UInt8]] = []
    /// Whether another machine has proved in this run that it has this device's private key.
    package private(set) var isCopyProved = false

    /// Creates the detector of a daemon that starts in that slot.
    package init(startSlot: UInt64) {
        self.startSlot = startSlot
    }

    /// Records that the clock was set: what this device sent before may be of slots up to a day ahead, which are ignored when
    /// they come; those of a clock that was further ahead are not, since else nothing would be noticed for years.
    package mutating func clockWasSet(to slot: UInt64) {
        startSlot = startSlot > slot && startSlot - slot <= DailyKey.slotsPerDay ? startSlot : slot
    }

    /// Records an advertisement of a slot that this daemon has not sent; returns whether the hint is new.
    package mutating func recordForeign(slot: UInt64, from endpoint: PeerEndpoint, at uptime: Duration) -> Bool {
        guard slot > startSlot else { return false }
        let isNew = !isSuspected(at: uptime)
        lastHeard = uptime
        (latestEndpoint, isUncalled) = (endpoint, true)
        return isNew
    }

    /// Whether such an advertisement was heard lately.
    package func isSuspected(at uptime: Duration) -> Bool {
        lastHeard.map { uptime - $0 < Self.lifetime } ?? false
    }

    /// Returns where to call the sender of such an advertisement, and counts the call; nil when there is nobody to call
    /// in this slot, or a copy is proved already.
    package mutating func nextCall(slot: UInt64) -> PeerEndpoint? {
        guard calledSlot != slot, !isCopyProved, isUncalled, let endpoint = latestEndpoint else { return nil }
        (calledSlot, isUncalled) = (slot, false)
        return endpoint
    }

    /// Records the first message of a call, before it is sent.
    package mutating func recordCall(_ firstMessage: [UInt8]) {
        calls = (calls + [Array(firstMessage.prefix(Self.identifyingBytes))]).suffix(Self.maximumCalls)
    }

    /// Whether a message that was received is one that this device has sent to a possible copy: somebody passes it on, so
    /// that this device would take itself for its copy.
    package func isOwnCall(_ firstMessage: [UInt8]) -> Bool {
        calls.contains(Array(firstMessage.prefix(Self.identifyingBytes)))
    }

    /// Records that another machine has proved that it has this device's private key; returns whether that is new.
    package mutating func recordProof() -> Bool {
        defer { isCopyProved = true }
        return !isCopyProved
    }
}
