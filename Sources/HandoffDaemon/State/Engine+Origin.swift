import HandoffCore
import HandoffModel
import Logging

extension Engine {
    /// Keeps something on the air while there is nothing to continue, or no more.
    func cover(_ isCovering: Bool) {
        change { state, _ in state.origin.cover(isCovering) }
    }

    /// Adds an activity that belongs to `client` and is not current yet.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    func create(
        _ activity: Activity,
        isEligible: Bool,
        needsSave: Bool = false,
        delegate: String? = nil,
        documentProblem: String? = nil,
        by client: String
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

    /// Changes what an activity has in it.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` or `notOwner`.
    func update(
        _ id: ActivityRegister.ID,
        by client: String,
        _ body: (inout ActivityRegister.Record) -> Void
    ) throws(HandoffError) {
        try change { state, now throws(HandoffError) in
            let before = try state.origin.activity(id)
            try state.origin.update(id, by: client, at: now, body)
            state.showChange(since: before)
        }
    }

    /// Says that the owner has newer state than it has told, or has none.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` or `notOwner`.
    func setNeedsSave(_ needsSave: Bool, of id: ActivityRegister.ID, by client: String) throws(HandoffError) {
        try change { state, _ throws(HandoffError) in
            let before = try state.origin.activity(id)
            try state.origin.setNeedsSave(needsSave, of: id, by: client)
            state.showChange(since: before)
        }
    }

    /// Makes the activity the one that other devices may continue.
    func becomeCurrent(_ id: ActivityRegister.ID, by client: String) throws(HandoffError) {
        try change { state, now throws(HandoffError) in
            try state.origin.becomeCurrent(id, by: client, at: now)
        }
    }

    /// Lets the activity exist without being current.
    func resignCurrent(_ id: ActivityRegister.ID, by client: String) throws(HandoffError) {
        try change { state, now throws(HandoffError) in
            try state.origin.resignCurrent(id, by: client, at: now)
        }
    }

    /// Ends the activity everywhere.
    func invalidate(_ id: ActivityRegister.ID, by client: String) throws(HandoffError) {
        try change { state, now throws(HandoffError) in
            try state.origin.invalidate(id, by: client, at: now)
            state.outbox.append(.activityRemoved(id))
        }
    }

    /// Forgets a program that has left the bus, with all that it held.
    func clientLeft(_ client: String) {
        change { state, now in
            state.activeScanners.remove(client)
            for record in state.origin.remove(ownedBy: client, at: now) {
                state.outbox.append(.activityRemoved(record.id))
            }
        }
    }

    /// Forgets every program: the bus is gone, or the daemon stops.
    func allClientsLeft() {
        for client in read({ $0.activeScanners.union($0.origin.owners) }) { clientLeft(client) }
    }

    /// Keeps everything off the air, or does so no longer.
    func withhold(_ isWithheld: Bool) {
        change { state, now in
            guard state.origin.isWithheld != isWithheld else { return }
            state.origin.withhold(isWithheld, at: now)
            logger.info(isWithheld ? "nobody is here: activities leave the air" : "somebody is here again")
        }
    }

    /// Takes in that what the plan says has begun to be on the air.
    func began(_ plan: AdvertisingPlan) {
        guard let content = plan.content else { return }
        change { state, now in state.origin.began(content, at: now) }
    }
}

extension Engine.State {
    /// Has the bus show how an activity differs from what it was.
    mutating func showChange(since before: ActivityRegister.Record) {
        guard let after = try? origin.activity(before.id), after != before else { return }
        outbox.append(.activityChanged(from: before, to: after))
    }
}
