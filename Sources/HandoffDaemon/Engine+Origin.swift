import HandoffCore
import HandoffModel
import HandoffWire

extension Engine {
    /// Adds an activity that belongs to `client` and is not current yet.
    func create(_ activity: Activity, isEligible: Bool, by client: String) throws(HandoffError) -> ActivityRegister.ID {
        try change { state, _ throws(HandoffError) in
            let record = try state.origin.create(activity, owner: client, isEligible: isEligible)
            state.outbox.append(.activityAdded(record))
            state.learn(activity.type)
            return record.id
        }
    }

    /// Gives an activity new contents.
    func update(
        _ id: ActivityRegister.ID,
        to activity: Activity,
        isEligible: Bool,
        by client: String
    ) throws(HandoffError) {
        try change { state, now throws(HandoffError) in
            try state.origin.update(id, by: client, at: now) {
                $0.activity = activity
                $0.isEligible = isEligible
            }
            state.outbox.append(.activityChanged(try state.origin.activity(id)))
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
            state.lookers.remove(client)
            for record in state.origin.remove(ownedBy: client, at: now) {
                state.outbox.append(.activityRemoved(record.id))
            }
        }
    }

    /// Forgets every program: the bus is gone, or the daemon stops.
    func allClientsLeft() {
        for client in read({ $0.lookers.union($0.origin.owners) }) { clientLeft(client) }
    }

    /// Takes in that what the plan says has begun to be on the air.
    func began(_ plan: AdvertisingPlan) {
        guard let content = plan.content else { return }
        change { state, now in state.origin.began(content, at: now) }
    }

    /// The answer to a trusted device that asks for the current activity.
    func answer(to request: FetchRequest) -> Answer {
        read { $0.origin.answer(to: request, at: .now) }
    }
}
