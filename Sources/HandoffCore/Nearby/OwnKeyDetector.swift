/// Detects advertisements under this device's own key that it has not sent.
///
/// Another machine with a copy of the state sends such advertisements, but so can every device of the circle, since all
/// know the key. An advertisement alone is therefore a hint, which expires; it proves no copy. A device that has just
/// started does not know what it sent before: advertisements of slots up to that of its start are ignored, because anyone
/// could have recorded them.
package struct OwnKeyDetector: Sendable {
    /// How long an advertisement is reported without another one being heard.
    package static let lifetime = Duration.seconds(3600)

    private let startSlot: UInt64
    private var lastHeard: Duration?

    /// Creates the detector of a daemon that starts in that slot.
    package init(startSlot: UInt64) {
        self.startSlot = startSlot
    }

    /// Records an advertisement of a slot that this daemon has not sent; returns whether the hint is new.
    package mutating func recordForeign(slot: UInt64, at uptime: Duration) -> Bool {
        guard slot > startSlot else { return false }
        let isNew = !isSuspected(at: uptime)
        lastHeard = uptime
        return isNew
    }

    /// Whether such an advertisement was heard lately.
    package func isSuspected(at uptime: Duration) -> Bool {
        lastHeard.map { uptime - $0 < Self.lifetime } ?? false
    }
}
