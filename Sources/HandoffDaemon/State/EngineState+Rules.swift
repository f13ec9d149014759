import HandoffCore
import HandoffModel

/// An activity that the rules withhold: the current one of this device, or one of another device that is heard.
struct WithheldActivity: Hashable, Sendable {
    /// Whose activity it is.
    enum Source: Hashable, Sendable {
        case own(ActivityRegister.ID)
        case nearby(NearbyEntry.ID, of: DeviceID)
    }

    let source: Source
    /// Nil while this device does not know the type.
    let type: ActivityType?
    let obstacle: RuleObstacle
    /// The only device that does not get it; nil when none does.
    var device: DeviceID?

    init(source: Source, type: ActivityType?, obstacle: RuleObstacle, from device: DeviceID? = nil) {
        (self.source, self.type, self.obstacle, self.device) = (source, type, obstacle, device)
    }
}

/// The rules of the person, and what follows from them for the other facets.
extension Engine.State {
    /// What the person allows.
    var rules: Rules { origin.rules }

    /// The activities of other devices that the rules let clients see, nearest first.
    var shownEntries: [NearbyEntry] { nearby.table.all.filter { obstacle(to: $0) == nil } }

    /// What the rules withhold: the current activity first, then those of other devices, nearest first.
    ///
    /// During a pause, activities of others are not told: none is heard.
    var withheld: [WithheldActivity] {
        guard rules != Rules() || !nearby.refusing.isEmpty else { return [] }
        let own = origin.current.flatMap { record in
            origin.obstacle(to: record.id).map {
                WithheldActivity(source: .own(record.id), type: record.activity.type, obstacle: $0)
            }
        }
        let hidden = nearby.table.all.compactMap { entry in
            obstacle(to: entry).map {
                WithheldActivity(
                    source: .nearby(entry.id, of: entry.device),
                    type: kind(of: entry.typeHash)?.type,
                    obstacle: $0
                )
            }
        }
        return [own].compactMap(\.self) + (rules.isPaused ? [] : fromDevices + hidden)
    }

    /// The current activity once for each trusted device that a rule gives nothing.
    private var fromDevices: [WithheldActivity] {
        guard let record = origin.current, origin.obstacle(to: record.id) == nil else { return [] }
        return trust.devices.all.map(\.id).compactMap { device in
            guard let obstacle = rules.obstacle(toDealingWith: device), obstacle.kind == .device else { return nil }
            return WithheldActivity(
                source: .own(record.id),
                type: record.activity.type,
                obstacle: obstacle,
                from: device
            )
        }
    }

    /// Returns which rule keeps an activity of another device from being shown; nil when none does.
    func obstacle(to entry: NearbyEntry) -> RuleObstacle? {
        if nearby.refusing[entry.device] != nil { return .deniedThere }
        return rules.obstacle(toShowing: entry.typeHash, of: kind(of: entry.typeHash)?.type, from: entry.device)
    }

    /// Whether the radio may be used to pair, and to find out how a pairing has ended.
    ///
    /// A person who pairs during a pause wants that; what is left over from an earlier pairing waits for the end of it.
    func isPairingAllowed(at now: Moment) -> Bool { !rules.isPaused || pairing.isRequested(at: now) }

    /// Replaces the rules, and everything that follows from them.
    mutating func setRules(_ rules: Rules, at now: Moment) {
        guard rules != self.rules else { return }
        let (before, wasPaused) = (shownEntries, self.rules.isPaused)
        origin.setRules(rules, at: now)
        let after = shownEntries
        let (shown, staying) = (Set(before.map(\.id)), Set(after.map(\.id)))
        for entry in before where !staying.contains(entry.id) { show(.nearby(.removed(entry))) }
        for entry in after where !shown.contains(entry.id) { show(.nearby(.added(entry))) }
        if desktop.apply(rules) {
            for entry in after where shown.contains(entry.id) { show(.nearby(.changed(entry))) }
        }
        if wasPaused, !rules.isPaused { arrived(at: now) }
        show(.rulesChanged)
    }

    /// Ends a pause whose time is over.
    mutating func expireRules(at now: Moment) {
        var rules = rules
        rules.expire(at: now)
        setRules(rules, at: now)
    }

    /// Shows what is withheld, if that has changed.
    mutating func showWithheld() {
        let withheld = withheld
        guard withheld != shownWithheld else { return }
        shownWithheld = withheld
        show(.withheldChanged)
    }
}

extension Engine.State {
    /// Shows that an activity is not offered because its app has lost the focus, or that none is, if that has changed.
    mutating func showWithoutFocus() {
        let id = origin.withoutFocus?.id
        guard id != shownWithoutFocus else { return }
        shownWithoutFocus = id
        show(.identityChanged)
    }
}

extension NearbyTable.Change {
    /// The entry that has changed.
    var entry: NearbyEntry {
        switch self {
        case .added(let entry), .changed(let entry), .removed(let entry): entry
        }
    }
}
