package import HandoffModel
package import HandoffWire

/// The side of an activity that others may continue: which activity is current, what is advertised, who gets what.
package struct Origin: Sendable {
    /// How long the last activity can be fetched after its advertisement was withdrawn without it being invalidated.
    ///
    /// Somebody may have picked it in the moment in which it resigned.
    package static let gracePeriod = Duration.seconds(10)

    private struct WithdrawnActivity {
        var id: ActivityRegister.ID
        var until: Duration
    }

    private var register = ActivityRegister()
    private var pacer = AdvertisementPacer()
    private var withdrawn: WithdrawnActivity?
    private var saves = SaveRequests()
    private let streamTokens: StreamTokens
    /// Who has acknowledged which activities: only these may open streams to them.
    private var acknowledgedBy: [ActivityRegister.ID: Set<DeviceID>] = [:]

    /// Whether everything is kept off the air.
    package private(set) var isWithheld = false

    /// An origin without activities.
    ///
    /// - Parameter run: a random number of this run of the daemon; see ``StreamTokens``.
    package init(run: UInt32 = 0) {
        streamTokens = StreamTokens(run: run)
    }

    /// How long a fetch waits for an app that saves first: `SaveRequests.timeout`, unless a test has more.
    package var saveTimeout: Duration {
        get { saves.timeout }
        set { saves.timeout = newValue }
    }

    /// What has to happen before a request can be answered.
    package enum Preparation: Hashable, Sendable {
        /// Nothing.
        case ready
        /// The app of that activity has been asked to save, or has to be asked now when there is a round.
        case saving(ActivityRegister.ID, asking: SaveRequests.Request?)
    }

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
    package func contains(_ id: ActivityRegister.ID) -> Bool { register[id] != nil }

    /// Adds an activity that is not current yet.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    package mutating func create(
        _ activity: Activity,
        owner: String,
        isEligible: Bool
    ) throws(HandoffError) -> ActivityRegister.Record {
        try register.insert(activity, owner: owner, isEligible: isEligible)
    }

    /// Says that the owner has newer state than it has told, or has none.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` or `notOwner`.
    package mutating func setNeedsSave(
        _ needsSave: Bool,
        of id: ActivityRegister.ID,
        by client: String
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        register.update(id) { $0.needsSave = needsSave }
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
        applyChange(at: now) { $0.update(id, change) }
    }

    /// The URLs of documents, by the activities that are about them.
    package var documents: [ActivityRegister.ID: String] { register.documents }

    /// Takes in why an activity's document cannot follow to another device, or that it can; unknown ids are ignored.
    package mutating func setDocumentProblem(_ problem: String?, of id: ActivityRegister.ID, at now: Moment) {
        applyChange(at: now) { $0.update(id) { $0.documentProblem = problem } }
    }

    /// Makes the activity the current one.
    package mutating func becomeCurrent(
        _ id: ActivityRegister.ID,
        by client: String,
        at now: Moment
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        applyChange(at: now) { $0.becomeCurrent(id) }
    }

    /// Lets the activity go on existing without being current.
    package mutating func resignCurrent(
        _ id: ActivityRegister.ID,
        by client: String,
        at now: Moment
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        applyChange(at: now) { $0.resignCurrent(id) }
    }

    /// Removes the activity, here and from the lists of all devices.
    package mutating func invalidate(
        _ id: ActivityRegister.ID,
        by client: String,
        at now: Moment
    ) throws(HandoffError) {
        try check(id, belongsTo: client)
        applyChange(at: now) { $0.invalidate(id) }
        saves.remove(id)
        acknowledgedBy[id] = nil
    }

    /// Removes the activities of a client that has left, and returns them.
    package mutating func remove(ownedBy client: String, at now: Moment) -> [ActivityRegister.Record] {
        var removed: [ActivityRegister.Record] = []
        applyChange(at: now) { removed = $0.removeAll(ownedBy: client) }
        for record in removed {
            saves.remove(record.id)
            acknowledgedBy[record.id] = nil
        }
        return removed
    }

    /// What belongs on the air at `now`, and the `uptime` at which to ask again.
    ///
    /// What has expired by then is not current any more.
    package mutating func advance(to now: Moment) -> (broadcast: AdvertisementPacer.Broadcast?, next: Duration?) {
        applyChange(at: now) { _ in }
        let (broadcast, next) = pacer.advance(to: now)
        let expiration = register.nextExpiration.map { now.uptime + .microseconds($0 - now.unixMicroseconds) }
        return (broadcast, [next, expiration, saves.nextDeadline].compactMap(\.self).min())
    }

    /// The answer to a trusted device that asks for a stream to the app of an activity, and which activity that is.
    package func answer(
        to request: StreamRequest,
        from device: DeviceID
    ) -> (answer: Answer, activity: ActivityRegister.ID?) {
        guard let id = streamTokens.activity(for: request.activity), let record = register[id],
            acknowledgedBy[id]?.contains(device) == true
        else {
            return (.refusal(Refusal(.noSuchActivity, "The activity has ended.")), nil)
        }
        guard record.takesStreams else {
            return (.refusal(Refusal(.streamsNotSupported, "Its app takes no continuation streams.")), nil)
        }
        return (.stream, id)
    }

    /// Takes in that a device has acknowledged an activity.
    package mutating func acknowledged(_ id: ActivityRegister.ID, by device: DeviceID) {
        guard register[id] != nil else { return }
        acknowledgedBy[id, default: []].insert(device)
    }

    /// Keeps everything off the air for as long as nobody is at this device, without a change to what is current.
    package mutating func withhold(_ isWithheld: Bool, at now: Moment) {
        let before = offered
        self.isWithheld = isWithheld
        updateAdvertisement(from: before, at: now)
    }

    /// Keeps something on the air while there is nothing to continue, or no more.
    package mutating func cover(_ isCovering: Bool) {
        pacer.isCovering = isCovering
    }

    /// Says that a broadcast of that content has begun just now.
    package mutating func began(_ content: AdvertisementPacer.Content, at now: Moment) {
        pacer.began(content, at: now.uptime)
    }

    /// What a request has to wait for: the app that has newer state is asked for it, once for all who ask meanwhile.
    ///
    /// The activity needs no save from then on: what its owner changes after it was asked counts anew.
    package mutating func prepare(for request: FetchRequest, at now: Moment) -> Preparation {
        applyChange(at: now) { _ in }
        guard let record = record(for: request, at: now) else { return .ready }
        if saves.isOpen(record.id) { return saves.isAwaited(record.id) ? .saving(record.id, asking: nil) : .ready }
        guard record.needsSave, record.delegate != nil else { return .ready }
        register.update(record.id) { $0.needsSave = false }
        return .saving(record.id, asking: saves.begin(record.id, at: now))
    }

    /// Whether requests for that activity have to wait for its app.
    package func isSaving(_ id: ActivityRegister.ID) -> Bool { saves.isAwaited(id) }

    /// Changes whenever requests have to wait for an app no more.
    package var saveCompletions: UInt64 { saves.completions }

    /// Takes in how an app answered; false when nobody cares any more.
    ///
    /// An app that could not save has newer state still.
    package mutating func saveEnded(_ saveRequest: SaveRequests.Request, _ outcome: SaveRequests.Outcome) -> Bool {
        guard saves.end(saveRequest) else { return false }
        if outcome != .saved { register.update(saveRequest.activity) { $0.needsSave = true } }
        return true
    }

    /// The activities whose apps have been waited for long enough.
    package mutating func expireSaves(at now: Moment) -> [ActivityRegister.ID] {
        saves.expire(at: now)
    }

    /// The answer to a trusted device that asks for the activity of a type.
    ///
    /// Only the current activity is given away, and for ``gracePeriod`` the last one if nothing took its place.
    package func answer(to request: FetchRequest, at now: Moment) -> Answer {
        guard let record = record(for: request, at: now) else { return Self.noLongerCurrent }
        return .activity(shared(record))
    }

    /// The activity as another device gets it.
    private func shared(_ record: ActivityRegister.Record) -> Activity {
        let reduced = record.activity.reducedToRequiredKeys
        return record.takesStreams ? reduced.withStreamToken(streamTokens.token(for: record.id)) : reduced
    }

    /// The activity that a request gets, as it stands; nil for a refusal.
    package func record(for request: FetchRequest, at now: Moment) -> ActivityRegister.Record? {
        guard let record = offered ?? recordInGracePeriod(at: now), record.activity.type.hash == request.typeHash else {
            return nil
        }
        return record
    }

    /// The activity that is to be on the air.
    private var offered: ActivityRegister.Record? { isWithheld ? nil : register.current }

    /// The activity that left the air last, as it stands, if somebody may have picked it in that moment.
    private func recordInGracePeriod(at now: Moment) -> ActivityRegister.Record? {
        guard let withdrawn, withdrawn.until > now.uptime, let record = register[withdrawn.id] else { return nil }
        return record.isOffered ? record : nil
    }

    private static let noLongerCurrent = Answer.refusal(
        Refusal(.noLongerCurrent, "That activity is not the current one any more.")
    )

    private func check(_ id: ActivityRegister.ID, belongsTo client: String) throws(HandoffError) {
        guard try activity(id).owner == client else {
            throw HandoffError(.notOwner, "This activity belongs to another program; only that one can change it.")
        }
    }

    /// Applies a change to the register and draws the consequences.
    private mutating func applyChange(at now: Moment, _ change: (inout ActivityRegister) -> Void) {
        let before = offered
        change(&register)
        register.expire(at: now)
        updateAdvertisement(from: before, at: now)
    }

    /// Draws the consequences for the air and for late fetches of that another activity is offered than `before`.
    private mutating func updateAdvertisement(from before: ActivityRegister.Record?, at now: Moment) {
        if let after = offered {
            withdrawn = nil
            pacer.request(.activity(after.activity.type.hash, hasWebpage: after.activity.webpageURL != nil))
        } else if let before {
            // Nothing took its place. Invalidated means gone; resigned means still there for a late fetch.
            withdrawn = WithdrawnActivity(id: before.id, until: now.uptime + Self.gracePeriod)
            pacer.request(nil)
        }
    }
}
