package import HandoffModel
package import HandoffWire

/// The side of an activity that others may continue: which activity is current, what is advertised, who gets what.
package struct Origin: Sendable {
    /// How long the last activity can be fetched after its advertisement was withdrawn without it being invalidated.
    ///
    /// Somebody may have picked it in the moment in which it resigned.
    package static let grace = Duration.seconds(10)

    private struct Departed {
        var id: ActivityRegister.ID
        var until: Duration
    }

    private var register = ActivityRegister()
    private var pacer = AdvertisementPacer()
    private var departed: Departed?

    package init() {}

    /// The activity that other devices may continue.
    package var current: ActivityRegister.Record? { register.current }

    /// Every client that has an activity.
    package var owners: Set<String> { register.owners }

    /// The activity with that id.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity`.
    package func activity(_ id: ActivityRegister.ID) throws(HandoffError) -> ActivityRegister.Record {
        guard let record = register[id] else {
            throw HandoffError(.noSuchActivity, "This activity was invalidated; create a new one.")
        }
        return record
    }

    /// Whether that activity exists.
    package func holds(_ id: ActivityRegister.ID) -> Bool { register[id] != nil }

    /// Adds an activity that is not current yet.
    package mutating func create(
        _ activity: Activity,
        owner: String,
        isEligible: Bool
    ) throws(HandoffError) -> ActivityRegister.Record {
        try register.insert(activity, owner: owner, isEligible: isEligible)
    }

    /// Changes an activity's state or eligibility.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` or `notOwner`.
    package mutating func update(
        _ id: ActivityRegister.ID,
        by client: String,
        at now: Moment,
        _ change: (inout ActivityRegister.Record) -> Void
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        changing(at: now) { $0.update(id, change) }
    }

    /// Makes the activity the current one.
    package mutating func becomeCurrent(
        _ id: ActivityRegister.ID,
        by client: String,
        at now: Moment
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        changing(at: now) { $0.becomeCurrent(id) }
    }

    /// Lets the activity go on existing without being current.
    package mutating func resignCurrent(
        _ id: ActivityRegister.ID,
        by client: String,
        at now: Moment
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        changing(at: now) { $0.resignCurrent(id) }
    }

    /// Removes the activity, here and from the lists of all devices.
    package mutating func invalidate(
        _ id: ActivityRegister.ID,
        by client: String,
        at now: Moment
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        changing(at: now) { $0.invalidate(id) }
    }

    /// Removes the activities of a client that has left, and returns them.
    package mutating func remove(ownedBy client: String, at now: Moment) -> [ActivityRegister.Record] {
        var removed: [ActivityRegister.Record] = []
        changing(at: now) { removed = $0.removeAll(ownedBy: client) }
        return removed
    }

    /// What belongs on the air at `now`, and the `uptime` at which to ask again.
    package mutating func advance(to now: Moment) -> (broadcast: AdvertisementPacer.Broadcast?, next: Duration?) {
        pacer.advance(to: now)
    }

    /// Says that a broadcast of that content has begun just now.
    package mutating func began(_ content: AdvertisementPacer.Content, at now: Moment) {
        pacer.began(content, at: now.uptime)
    }

    /// The answer to a trusted device that asks for the activity of a type.
    ///
    /// Only the current activity is given away, and for ``grace`` the last one if nothing took its place.
    package func answer(to request: FetchRequest, at now: Moment) -> Answer {
        if let record = register.current {
            guard record.activity.type.hash == request.typeHash else { return Self.noLongerCurrent }
            return .activity(record.activity)
        }
        guard let record = late(at: now), record.activity.type.hash == request.typeHash else {
            return Self.noLongerCurrent
        }
        return .activity(record.activity)
    }

    /// The activity that resigned last, as it stands, if somebody may have picked it in that moment.
    private func late(at now: Moment) -> ActivityRegister.Record? {
        guard let departed, departed.until > now.uptime, let record = register[departed.id] else { return nil }
        return record.isEligible ? record : nil
    }

    private static let noLongerCurrent = Answer.refusal(
        Refusal(.noLongerCurrent, "That activity is not the current one any more.")
    )

    private func check(_ id: ActivityRegister.ID, belongsTo client: String) throws(HandoffError) {
        guard try activity(id).owner == client else {
            throw HandoffError(.notOwner, "This activity belongs to another program; only that one can change it.")
        }
    }

    /// Applies a change to the register and draws the consequences for the air and for late fetches.
    private mutating func changing(at now: Moment, _ change: (inout ActivityRegister) -> Void) {
        let before = register.current
        change(&register)
        let after = register.current
        if let after {
            departed = nil
            pacer.want(.activity(after.activity.type.hash, hasWebpage: after.activity.webpageURL != nil))
        } else if let before {
            // Nothing took its place. Invalidated means gone; resigned means still there for a late fetch.
            departed = Departed(id: before.id, until: now.uptime + Self.grace)
            pacer.want(nil)
        }
    }
}
