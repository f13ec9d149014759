import AsyncSupport
import DBus
import HandoffApps
import HandoffCore
import HandoffModel
import Logging

extension Engine {
    /// The activities of this device.
    var activities: EngineActivities { EngineActivities(engine: self) }
}

/// The activities that apps on this device publish: which there are, and which is current.
struct EngineActivities: Sendable {
    let engine: Engine

    // MARK: By their owners

    /// Adds an activity that belongs to `client`; it is not current yet.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    func create(
        _ activity: Activity,
        isEligible: Bool,
        needsSave: Bool = false,
        delegate: ObjectPath? = nil,
        application: String? = nil,
        documentProblem: String? = nil,
        by client: BusName
    ) throws(HandoffError) -> ActivityRegister.ID {
        try engine.change { state, now throws(HandoffError) in
            let id = try state.origin.create(activity, owner: client, isEligible: isEligible).id
            try state.origin.update(id, by: client, at: now) {
                $0.needsSave = needsSave
                $0.delegate = delegate
                $0.application = application
                $0.documentProblem = documentProblem
            }
            state.show(.activityAdded(try state.origin.activity(id)))
            let team = activity.teamID ?? application.flatMap { state.desktop.installedApps.teams[$0] }
            state.learn(ActivityKind(activity.type, team: team))
            return id
        }
    }

    /// Changes the contents of an activity.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity`, `notOwner` or `limitReached`.
    func update(
        _ id: ActivityRegister.ID,
        by client: BusName,
        _ body: (inout ActivityRegister.Record) -> Void
    ) throws(HandoffError) {
        try engine.change { state, now throws(HandoffError) in
            let before = try state.origin.activity(id)
            try state.origin.update(id, by: client, at: now, body)
            state.showChange(since: before)
        }
    }

    /// Sets whether the owner has state that it has not saved yet.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` or `notOwner`.
    func setNeedsSave(_ needsSave: Bool, of id: ActivityRegister.ID, by client: BusName) throws(HandoffError) {
        try engine.change { state, _ throws(HandoffError) in
            let before = try state.origin.activity(id)
            try state.origin.setNeedsSave(needsSave, of: id, by: client)
            state.showChange(since: before)
        }
    }

    /// Makes the activity the current one, which other devices can continue.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` or `notOwner`, as do the following two.
    func becomeCurrent(_ id: ActivityRegister.ID, by client: BusName) throws(HandoffError) {
        try engine.change { state, now throws(HandoffError) in
            try state.origin.becomeCurrent(id, by: client, at: now)
        }
    }

    /// Makes the activity no longer current, without ending it.
    func resignCurrent(_ id: ActivityRegister.ID, by client: BusName) throws(HandoffError) {
        try engine.change { state, now throws(HandoffError) in
            try state.origin.resignCurrent(id, by: client, at: now)
        }
    }

    /// Ends the activity on all devices.
    func invalidate(_ id: ActivityRegister.ID, by client: BusName) throws(HandoffError) {
        try engine.change { state, now throws(HandoffError) in
            try state.origin.invalidate(id, by: client, at: now)
            state.show(.activityRemoved(id))
        }
    }

    /// Removes everything that a client owns after it has left the bus.
    func clientLeft(_ client: BusName) {
        engine.change { state, now in
            state.nearby.activeScanners.remove(client)
            for record in state.origin.remove(ownedBy: client, at: now) { state.show(.activityRemoved(record.id)) }
        }
    }

    /// Removes everything that any client owns, because the bus is gone or the daemon stops.
    func allClientsLeft() {
        for client in engine.read({ $0.nearby.activeScanners.union($0.origin.followed) }) { clientLeft(client) }
    }

    /// Records how an app answered a save request.
    func saveEnded(_ saveRequest: SaveRequests.Request, _ outcome: SaveRequests.Outcome) {
        engine.change { state, _ in
            guard let before = try? state.origin.activity(saveRequest.activity),
                state.origin.saveEnded(saveRequest, outcome)
            else {
                return
            }
            state.show(.saveEnded(saveRequest.activity, outcome))
            state.showChange(since: before)
        }
    }

    // MARK: By the daemon

    /// Sets which owners of activities have the focus, which had it, and which count as if they never had it; nil while it
    /// is unknown.
    func setFocus(_ owners: Set<BusName>?, past: Set<BusName> = [], forgetting forgotten: Set<BusName> = []) {
        engine.change { state, now in state.origin.setFocus(owners, past: past, forgetting: forgotten, at: now) }
    }

    /// Turns the cover advertisement on or off.
    func cover(_ isCovering: Bool) {
        engine.change { state, _ in state.origin.cover(isCovering) }
    }

    /// The advisories that the current activity is not advertised, because nobody uses this session, and that there is
    /// none, because its app has lost the focus.
    var advisories: [(name: String, message: String)] {
        let (isWithheld, type) = engine.read {
            ($0.origin.isWithheld && $0.origin.current != nil, $0.origin.withoutFocus?.activity.type)
        }
        if let type {
            let sentence =
                "Another app has the focus, so the activity \(type) is not offered until its app has it again."
            return [("other-focus", sentence)]
        }
        let message =
            "This session is locked or idle, so its current activity is not advertised until somebody uses it again. "
            + "`staysWhenAway = yes` in handoffd.conf advertises it all the time."
        return isWithheld ? [("withheld", message)] : []
    }

    /// Records whether the session is locked or idle: then nothing is scanned, and unless the settings want it, no
    /// activity of this device is advertised.
    func setAway(_ isAway: Bool) {
        engine.change { state, now in
            let hasCome = state.nearby.isAway && !isAway
            state.nearby.isAway = isAway
            withhold(&state, at: now)
            if hasCome { state.arrived(at: now) }
        }
    }

    /// Sets whether activities stay advertised while the session is locked or idle.
    func setStaysWhenAway(_ stays: Bool) {
        engine.change { state, now in
            state.staysWhenAway = stays
            withhold(&state, at: now)
        }
    }

    /// Stops all advertising of this device's activities, or allows it again.
    private func withhold(_ state: inout Engine.State, at now: Moment) {
        let isWithheld = state.nearby.isAway && !state.staysWhenAway
        guard state.origin.isWithheld != isWithheld else { return }
        state.origin.withhold(isWithheld, at: now)
        state.show(.identityChanged)
        if isWithheld {
            engine.logger.info(
                "session idle or locked: stopped advertising activities",
                metadata: ["event": "activities.withheld"]
            )
        } else {
            engine.logger.info("activities are advertised again", metadata: ["event": "activities.resumed"])
        }
    }

    /// Sets why an activity's document cannot be opened on other devices; nil when it can.
    func setDocumentProblem(_ problem: String?, of id: ActivityRegister.ID) {
        engine.change { state, now in
            guard let before = try? state.origin.activity(id), before.documentProblem != problem else { return }
            state.origin.setDocumentProblem(problem, of: id, at: now)
            state.showChange(since: before)
        }
    }
}
