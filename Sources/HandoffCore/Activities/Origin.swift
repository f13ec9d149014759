package import HandoffCrypto
package import HandoffModel
package import HandoffWire

/// The origin of activities: decides which activity is current, what is advertised, and what a peer is given.
package struct Origin<Owner: ActivityOwner>: Sendable {
    /// How long the last activity can be fetched after its advertisement was withdrawn, unless it was invalidated.
    ///
    /// A user may have selected it on another device at the moment when it resigned.
    package static var gracePeriod: Duration { .seconds(10) }

    private struct WithdrawnActivity {
        var id: ActivityID
        var until: Duration
    }

    var register: ActivityRegister<Owner>
    var pacer = AdvertisementPacer()
    private var withdrawn: WithdrawnActivity?
    var saves = SaveRequests()
    /// The takes of other devices whose outcome is not known yet.
    var takes = OpenTakes()
    let streamTokens: StreamTokens
    /// The devices that have acknowledged each activity, and may open streams to it for as long as it exists.
    var acknowledgedBy: [ActivityID: Set<DeviceID>] = [:]

    /// Whether advertising is suppressed.
    package private(set) var isWithheld = false
    /// What the person allows.
    package private(set) var rules = Rules()
    var wantsCover = false
    /// The teams that apps declare, by the ids of their desktop files.
    private var teams: [String: String] = [:]

    /// Creates an origin without activities.
    ///
    /// - Parameter streamTokenKey: a key of this run of the daemon: see ``StreamTokens``.
    package init(streamTokenKey: StreamTokenKey) {
        streamTokens = StreamTokens(key: streamTokenKey)
        register = ActivityRegister()
    }

    /// How long a fetch waits for an app that saves first: `SaveRequests.timeout`, unless a test sets another value.
    package var saveTimeout: Duration {
        get { saves.timeout }
        set { saves.timeout = newValue }
    }

    /// What has to be done before a request can be answered.
    package enum Preparation: Hashable, Sendable {
        /// Nothing.
        case ready
        /// The app of that activity has been asked to save, or has to be asked now if `asking` is not nil.
        case saving(ActivityID, asking: SaveRequests.Request?)
    }

    /// The activity that other devices may continue.
    package var current: ActivityRegister<Owner>.Record? { register.current }

    /// The activity that would be current if its app had not lost the focus; nil while another one is current.
    package var withoutFocus: ActivityRegister<Owner>.Record? { register.withoutFocus }

    /// Every client that has an activity.
    package var owners: Set<Owner> { register.owners }

    /// Every client that has an activity, or has or had the focus.
    package var followed: Set<Owner> { register.followed }

    /// Returns the activity with that id.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity`.
    package func activity(_ id: ActivityID) throws(HandoffError) -> ActivityRegister<Owner>.Record {
        guard let record = register[id] else {
            throw HandoffError(.noSuchActivity, "This activity was invalidated; create a new one.")
        }
        return record
    }

    /// Returns whether that activity exists.
    package func contains(_ id: ActivityID) -> Bool { register[id] != nil }

    /// Adds an activity that is not current yet.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    package mutating func create(
        _ activity: Activity,
        owner: Owner,
        isEligible: Bool
    ) throws(HandoffError) -> ActivityRegister<Owner>.Record {
        try register.insert(activity, owner: owner, isEligible: isEligible)
    }

    /// Records whether the owner has newer state than it has sent.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` or `notOwner`.
    package mutating func setNeedsSave(
        _ needsSave: Bool,
        of id: ActivityID,
        by client: Owner
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        register.setNeedsSave(needsSave, of: id)
    }

    /// Changes an activity's state or eligibility.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity`, `notOwner` or `limitReached`.
    package mutating func update(
        _ id: ActivityID,
        by client: Owner,
        at now: Moment,
        _ change: (inout ActivityRegister<Owner>.Record) -> Void
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        try applyChange(at: now) { register throws(HandoffError) in try register.update(id, change) }
    }

    /// The URLs of documents, by the activities that are about them.
    package var documents: [ActivityID: String] { register.documents }

    /// Records why an activity's document is not available on other devices, nil if it is; unknown ids are ignored.
    package mutating func setDocumentProblem(_ problem: String?, of id: ActivityID, at now: Moment) {
        applyChange(at: now) { $0.setDocumentProblem(problem, of: id) }
    }

    /// Makes the activity the current one.
    package mutating func becomeCurrent(
        _ id: ActivityID,
        by client: Owner,
        at now: Moment
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        applyChange(at: now) { $0.becomeCurrent(id) }
    }

    /// Makes the activity not current, without removing it.
    package mutating func resignCurrent(
        _ id: ActivityID,
        by client: Owner,
        at now: Moment
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        applyChange(at: now) { $0.resignCurrent(id) }
    }

    /// Sets which clients have the focus, as ``ActivityRegister/setFocus(_:past:forgetting:)`` does.
    package mutating func setFocus(
        _ owners: Set<Owner>?,
        past: Set<Owner> = [],
        forgetting forgotten: Set<Owner> = [],
        at now: Moment
    ) {
        applyChange(at: now) { $0.setFocus(owners, past: past, forgetting: forgotten) }
    }

    /// Removes the activity, on this device and from the lists of all others.
    package mutating func invalidate(
        _ id: ActivityID,
        by client: Owner,
        at now: Moment
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        applyChange(at: now) { $0.invalidate(id) }
        saves.remove(id)
        takes.remove(id)
        acknowledgedBy[id] = nil
    }

    /// Removes the activities of a client that has left, and returns them.
    package mutating func remove(ownedBy client: Owner, at now: Moment) -> [ActivityRegister<Owner>.Record] {
        var removed: [ActivityRegister<Owner>.Record] = []
        applyChange(at: now) { removed = $0.removeAll(ownedBy: client) }
        for record in removed {
            saves.remove(record.id)
            takes.remove(record.id)
            acknowledgedBy[record.id] = nil
        }
        return removed
    }

    /// Returns what to advertise at `now`, and the `uptime` at which to call again.
    ///
    /// Activities that have expired by then are no longer current.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - schedule: when the slots change.
    package mutating func advance(
        to now: Moment,
        by schedule: SlotSchedule = .atBorder
    ) -> (broadcast: AdvertisementPacer.Broadcast?, next: Duration?) {
        expire(at: now)
        let (broadcast, next) = pacer.advance(to: now, by: schedule)
        let expiration = register.nextExpiration.map { now.uptime + .microseconds($0 - now.unixMicroseconds) }
        return (broadcast, [next, expiration, saves.nextDeadline, takes.nextDeadline].compactMap(\.self).min())
    }

    /// Removes the activities whose time is over.
    package mutating func expire(at now: Moment) { applyChange(at: now) { _ in } }

    /// Suppresses advertising while the session is idle or locked, without changing which activity is current.
    package mutating func withhold(_ isWithheld: Bool, at now: Moment) {
        let before = offered
        self.isWithheld = isWithheld
        if isWithheld { pacer.cancelGreeting() }
        updateAdvertisement(from: before, at: now)
    }

    /// Replaces the rules: an activity that they deny is neither advertised nor given from now on, and none takes its
    /// place.
    package mutating func setRules(_ rules: Rules, at now: Moment) {
        let before = offered
        self.rules = rules
        cover(wantsCover)
        updateAdvertisement(from: before, at: now)
    }

    /// Sets the teams that apps declare, by the ids of their desktop files: an activity without a team has that of its app.
    package mutating func setTeams(_ teams: [String: String], at now: Moment) {
        let before = offered
        self.teams = teams
        updateAdvertisement(from: before, at: now)
    }

    /// Returns which rule withholds an activity of this device; nil when none does, and for an unknown id.
    package func obstacle(to id: ActivityID) -> RuleObstacle? { register[id].flatMap(obstacle) }

    /// Records that the radio has just begun to advertise that content.
    package mutating func began(_ content: AdvertisementPacer.Content, at now: Moment) {
        pacer.began(content, at: now.uptime)
    }

    /// Returns the answer to a trusted device that asks for the activity for which an advertised number stands.
    ///
    /// Only the current activity is given away, or for ``gracePeriod`` the last one if none has replaced it. Any number
    /// counts that the activity has had; a refusal tells what is current instead.
    package mutating func answer(
        to request: FetchRequest,
        from device: DeviceID,
        after saved: ActivityID? = nil,
        at now: Moment
    ) -> Answer {
        guard let record = record(for: request, after: saved, at: now) else { return noLongerCurrent(at: now) }
        let team = team(of: record)
        let filled = (try? record.activity.with { $0.teamID = team }) ?? record.activity
        let reduced = filled.reducedToRequiredKeys
        // A preview grants no stream.
        guard record.takesStreams, request.purpose.take != nil else { return .activity(reduced) }
        return .activity(reduced.withStreamToken(streamTokens.token(of: record.id, for: device)))
    }

    /// Returns the activity that answers a request, with its present state; nil for a refusal.
    ///
    /// - Parameters:
    ///   - request: names the activity.
    ///   - saved: the activity for whose save the request has waited: no other one is given in its place; nil if the
    ///     request has not waited.
    ///   - now: the present.
    package func record(
        for request: FetchRequest,
        after saved: ActivityID? = nil,
        at now: Moment
    ) -> ActivityRegister<Owner>.Record? {
        guard let record = offered ?? recordInGracePeriod(at: now), seen(record) == pacer.activity(of: request.number)
        else { return nil }
        return saved == nil || record.id == saved ? record : nil
    }

    /// The activity to advertise.
    var offered: ActivityRegister<Owner>.Record? {
        isWithheld ? nil : register.current.flatMap { obstacle(to: $0) == nil ? $0 : nil }
    }

    func obstacle(to record: ActivityRegister<Owner>.Record) -> RuleObstacle? {
        rules.obstacle(toOffering: record.activity, by: record.application)
    }

    /// Returns the activity whose advertisement was withdrawn last, with its present state, during its grace period.
    private func recordInGracePeriod(at now: Moment) -> ActivityRegister<Owner>.Record? {
        guard let withdrawn, withdrawn.until > now.uptime, let record = register[withdrawn.id] else { return nil }
        return record.isOffered && obstacle(to: record) == nil ? record : nil
    }

    private mutating func noLongerCurrent(at now: Moment) -> Answer {
        let current = pacer.requestable(at: now).flatMap { CurrentActivity($0.content, number: $0.number) }
        return .refusal(Refusal(.noLongerCurrent, "That activity is no longer the current one.", current: current))
    }

    /// Returns an activity as other devices see it.
    private func seen(_ record: ActivityRegister<Owner>.Record) -> OfferedActivity {
        let hash = ActivityKind(record.activity.type, team: team(of: record)).hash
        return OfferedActivity(id: record.id, documents: record.documents, typeHash: hash)
    }

    /// Returns the team of an activity, or that of its app.
    private func team(of record: ActivityRegister<Owner>.Record) -> String? {
        record.activity.teamID ?? record.application.flatMap { teams[$0] }
    }

    private func check(_ id: ActivityID, belongsTo client: Owner) throws(HandoffError) {
        guard try activity(id).owner == client else {
            throw HandoffError(.notOwner, "This activity belongs to another program; only that program can change it.")
        }
    }

    /// Applies a change to the register, and updates the advertisement.
    ///
    /// - Throws: what `change` throws, which has changed nothing then.
    mutating func applyChange<Failure: Error>(
        at now: Moment,
        _ change: (inout ActivityRegister<Owner>) throws(Failure) -> Void
    ) throws(Failure) {
        let before = offered
        try change(&register)
        register.expire(at: now)
        updateAdvertisement(from: before, at: now)
    }

    /// Updates the advertisement and the grace period after the offered activity has changed from `before`.
    private mutating func updateAdvertisement(from before: ActivityRegister<Owner>.Record?, at now: Moment) {
        if let after = offered {
            withdrawn = nil
            let (page, document) = (after.activity.webpageURL, after.activity.documentURL)
            pacer.request(.activity(seen(after), hasWebpage: page != nil, hasDocument: document != nil))
        } else if let before {
            // No activity replaced it. An invalidated activity is gone; one that resigned can still be fetched late.
            withdrawn = WithdrawnActivity(id: before.id, until: now.uptime + Self.gracePeriod)
            pacer.request(nil)
        }
    }
}

extension CurrentActivity {
    /// Tells what is advertised, or about to be, with its number; nil for a withdrawal.
    fileprivate init?(_ content: AdvertisementPacer.Content, number: AdvertisementNumber) {
        guard case .activity(let offered, let hasWebpage, let hasDocument) = content else { return nil }
        let activity = AdvertisedActivity(typeHash: offered.typeHash, number: number)
        self.init(activity, hasWebpage: hasWebpage, hasDocument: hasDocument)
    }
}
