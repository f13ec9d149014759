package import HandoffModel

/// Decides when a person is told on the desktop that something nearby can be continued.
///
/// There is one notification at most. It is about the newest offer that was not told yet, a later one replaces it, and it
/// goes when its activity does. It changes once in ``shortestGap`` at most, and the same kind of activity of the same device
/// is told once in ``quietPeriod`` at most, so that neither a busy person nor the edge of a radio's range makes a desktop restless.
package struct NearbyNotifications: Sendable {
    /// An activity that can be continued here.
    package struct Offer: Hashable, Sendable {
        package let id: NearbyEntry.ID
        package let device: DeviceID
        package let typeHash: ActivityTypeHash
        /// What would open it, in words.
        package let targetName: String

        package init(id: NearbyEntry.ID, device: DeviceID, typeHash: ActivityTypeHash, targetName: String) {
            self.id = id
            self.device = device
            self.typeHash = typeHash
            self.targetName = targetName
        }

        fileprivate var kind: Kind { Kind(device: device, typeHash: typeHash) }
    }

    /// What is to be done on the desktop.
    package enum Action: Hashable, Sendable {
        /// Show this offer, in the place of the one that is shown.
        case show(Offer)
        /// Take away what is shown.
        case close
    }

    /// The shortest time between two notifications.
    package static let shortestGap = Duration.seconds(30)
    /// How long the same kind of activity of the same device is not told again.
    package static let quietPeriod = Duration.seconds(300)

    fileprivate struct Kind: Hashable, Sendable {
        let device: DeviceID
        let typeHash: ActivityTypeHash
    }

    private var offers: [Offer] = []
    private var shown: Offer?
    private var lastShown: Duration?
    /// Those of the offers that were told; they are not told again however long they stay.
    private var notified: Set<NearbyEntry.ID> = []
    /// When each kind was told last; what is older than ``quietPeriod`` is forgotten.
    private var notifiedKinds: [Kind: Duration] = [:]

    package init() {}

    /// Takes in all that can be continued now.
    package mutating func update(_ offers: [Offer]) {
        self.offers = offers
        notified.formIntersection(offers.map(\.id))
    }

    /// Takes in that the notification is gone: the person closed it or answered it, or what showed it went away.
    package mutating func closed() {
        shown = nil
    }

    /// Takes in that a person goes on with an activity, of which nobody has to be told any more.
    package mutating func continued(_ id: NearbyEntry.ID, at uptime: Duration) -> [Action] {
        guard let offer = offers.first(where: { $0.id == id }) else { return [] }
        remember(offer, at: uptime)
        guard shown?.id == id else { return [] }
        shown = nil
        return [.close]
    }

    /// What is to be done at `uptime`, and when to ask again at the latest; nil for not before something happens.
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
        // What is replaced need not be closed.
        return ([.show(next)], quietPeriodEnd)
    }

    private mutating func remember(_ offer: Offer, at uptime: Duration) {
        notified.insert(offer.id)
        notifiedKinds[offer.kind] = uptime
    }

    /// What should be shown instead of what is: another opener of the same offer, or the newest offer that was not told.
    private var next: Offer? {
        if let shown, let same = offers.first(where: { $0.id == shown.id }), same != shown { return same }
        return pending.filter { notifiedKinds[$0.kind] == nil }.max { $0.id < $1.id }
    }

    private var pending: [Offer] { offers.filter { !notified.contains($0.id) } }

    /// When an offer that waits for the end of its quiet may be told.
    private var quietPeriodEnd: Duration? {
        pending.compactMap { notifiedKinds[$0.kind] }.min().map { $0 + Self.quietPeriod }
    }
}
