package import HandoffModel

/// Decides when a desktop notification reports that a nearby activity can be continued.
///
/// There is at most one notification. It shows the newest offer that was not shown yet; a later offer replaces it, and
/// it is closed when its activity ends. It changes at most once in ``shortestGap``, and the same type of activity of
/// the same device is shown at most once in ``quietPeriod``, so that neither frequent changes nor a device at the edge
/// of radio range produce many notifications.
package struct NearbyNotifications: Sendable {
    /// An activity that can be continued here.
    package struct Offer: Hashable, Sendable {
        package let id: NearbyEntry.ID
        package let device: DeviceID
        package let typeHash: ActivityTypeHash
        /// The name of what would open it.
        package let targetName: String

        package init(id: NearbyEntry.ID, device: DeviceID, typeHash: ActivityTypeHash, targetName: String) {
            self.id = id
            self.device = device
            self.typeHash = typeHash
            self.targetName = targetName
        }

        fileprivate var kind: Kind { Kind(device: device, typeHash: typeHash) }
    }

    /// A change to the desktop notification.
    package enum Action: Hashable, Sendable {
        /// Shows this offer, replacing the one that is shown.
        case show(Offer)
        /// Closes the notification.
        case close
    }

    /// The shortest time between two notifications.
    package static let shortestGap = Duration.seconds(30)
    /// How long the same type of activity of the same device is not shown again.
    package static let quietPeriod = Duration.seconds(300)

    fileprivate struct Kind: Hashable, Sendable {
        let device: DeviceID
        let typeHash: ActivityTypeHash
    }

    private var offers: [Offer] = []
    private var shown: Offer?
    private var lastShown: Duration?
    /// The offers that were shown; they are not shown again for as long as they exist.
    private var notified: Set<NearbyEntry.ID> = []
    /// When each kind was last shown; entries older than ``quietPeriod`` are removed.
    private var notifiedKinds: [Kind: Duration] = [:]

    package init() {}

    /// Replaces the list of activities that can be continued now.
    package mutating func update(_ offers: [Offer]) {
        self.offers = offers
        notified.formIntersection(offers.map(\.id))
    }

    /// Records that the notification was closed: by the user, by an answer to it, or because the notification server
    /// has left.
    package mutating func closed() {
        shown = nil
    }

    /// Records that the user continues an activity, which needs no notification any more.
    package mutating func continued(_ id: NearbyEntry.ID, at uptime: Duration) -> [Action] {
        guard let offer = offers.first(where: { $0.id == id }) else { return [] }
        remember(offer, at: uptime)
        guard shown?.id == id else { return [] }
        shown = nil
        return [.close]
    }

    /// Returns the actions due at `uptime`, and when to call again at the latest; nil for not before the next event.
    package mutating func advance(to uptime: Duration) -> (actions: [Action], next: Duration?) {
        notifiedKinds = notifiedKinds.filter { uptime - $0.value < Self.quietPeriod }
        var actions: [Action] = []
        if let current = shown, !offers.contains(where: { $0.id == current.id }) {
            shown = nil
            actions.append(.close)
        }
        guard let next else { return (actions, quietPeriodEnd) }
        let earliest = lastShown.map { $0 + Self.shortestGap } ?? uptime
        guard earliest <= uptime else { return (actions, earliest) }
        (shown, lastShown) = (next, uptime)
        remember(next, at: uptime)
        // A notification that is replaced need not be closed.
        return ([.show(next)], quietPeriodEnd)
    }

    private mutating func remember(_ offer: Offer, at uptime: Duration) {
        notified.insert(offer.id)
        notifiedKinds[offer.kind] = uptime
    }

    /// The offer to show next: the shown offer with a new target, or the newest offer that was not shown.
    private var next: Offer? {
        if let shown, let same = offers.first(where: { $0.id == shown.id }), same != shown { return same }
        return pending.filter { notifiedKinds[$0.kind] == nil }.max { $0.id < $1.id }
    }

    private var pending: [Offer] { offers.filter { !notified.contains($0.id) } }

    /// When the first offer that waits for the end of its quiet period may be shown.
    private var quietPeriodEnd: Duration? {
        pending.compactMap { notifiedKinds[$0.kind] }.min().map { $0 + Self.quietPeriod }
    }
}
