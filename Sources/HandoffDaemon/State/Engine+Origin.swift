import DBus
import HandoffCore
import HandoffModel
import Logging

extension Engine {
    /// Turns the cover advertisement on or off.
    func cover(_ isCovering: Bool) {
        change { state, _ in state.origin.cover(isCovering) }
    }

    /// Adds an activity that belongs to `client`; it is not current yet.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    func create(
        _ activity: Activity,
        isEligible: Bool,
        needsSave: Bool = false,
        delegate: ObjectPath? = nil,
        documentProblem: String? = nil,
        by client: BusName
    ) throws(HandoffError) -> ActivityRegister.ID {
        try change { state, now throws(HandoffError) in
            let id = try state.origin.create(activity, owner: client, isEligible: isEligible).id
            try state.origin.update(id, by: client, at: now) {
                $0.needsSave = needsSave
                $0.delegate = delegate
                $0.documentProblem = documentProblem
            }
            state.outbox.append(.activityAdded(try state.origin.activity(id)))
            state.learn(activity.type)
            return id
        }
    }

    /// Changes the contents of an activity.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` or `notOwner`.
    func update(
        _ id: ActivityRegister.ID,
        by client: BusName,
        _ body: (inout ActivityRegister.Record) -> Void
    ) throws(HandoffError) {
        try change { state, now throws(HandoffError) in
            let before = try state.origin.activity(id)
            try state.origin.update(id, by: client, at: now, body)
            state.showChange(since: before)
        }
    }

    /// Sets whether the owner has state that it has not saved yet.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` or `notOwner`.
    func setNeedsSave(_ needsSave: Bool, of id: ActivityRegister.ID, by client: BusName) throws(HandoffError) {
        try change { state, _ throws(HandoffError) in
            let before = try state.origin.activity(id)
            try state.origin.setNeedsSave(needsSave, of: id, by: client)
            state.showChange(since: before)
        }
    }

    /// Makes the activity the current one, which other devices can continue.
    func becomeCurrent(_ id: ActivityRegister.ID, by client: BusName) throws(HandoffError) {
        try change { state, now throws(HandoffError) in
            try state.origin.becomeCurrent(id, by: client, at: now)
        }
    }

    /// Makes the activity no longer current, without ending it.
    func resignCurrent(_ id: ActivityRegister.ID, by client: BusName) throws(HandoffError) {
        try change { state, now throws(HandoffError) in
            try state.origin.resignCurrent(id, by: client, at: now)
        }
    }

    /// Ends the activity on all devices.
    func invalidate(_ id: ActivityRegister.ID, by client: BusName) throws(HandoffError) {
        try change { state, now throws(HandoffError) in
            try state.origin.invalidate(id, by: client, at: now)
            state.outbox.append(.activityRemoved(id))
        }
    }

    /// Removes everything that a client owns after it has left the bus.
    func clientLeft(_ client: BusName) {
        change { state, now in
            state.activeScanners.remove(client)
            for record in state.origin.remove(ownedBy: client, at: now) {
                state.outbox.append(.activityRemoved(record.id))
            }
        }
    }

    /// Removes everything that any client owns, because the bus is gone or the daemon stops.
    func allClientsLeft() {
        for client in read({ $0.activeScanners.union($0.origin.owners) }) { clientLeft(client) }
    }

    /// Stops all advertising of this device's activities, or allows it again.
    func withhold(_ isWithheld: Bool) {
        change { state, now in
            guard state.origin.isWithheld != isWithheld else { return }
            state.origin.withhold(isWithheld, at: now)
            if isWithheld {
                logger.info(
                    "session idle or locked: stopped advertising activities",
                    metadata: ["event": "activities.withheld"]
                )
            } else {
                logger.info("activities are advertised again", metadata: ["event": "activities.resumed"])
            }
        }
    }

    /// Records that the advertisement of the plan has started.
    func began(_ plan: AdvertisingPlan) {
        guard let content = plan.content else { return }
        change { state, now in state.origin.began(content, at: now) }
    }
}

extension Engine.State {
    /// Signals on the bus how an activity differs from its previous state.
    mutating func showChange(since before: ActivityRegister.Record) {
        guard let after = try? origin.activity(before.id), after != before else { return }
        outbox.append(.activityChanged(from: before, to: after))
    }
}
