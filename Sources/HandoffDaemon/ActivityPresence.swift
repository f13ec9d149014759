import DBus
import HandoffBus
import HandoffCore
import HandoffModel
import HandoffWire
import Logging

/// `Activity1` over one activity of the engine.
struct ActivityPresence: ActivityService {
    let engine: Engine
    let id: ActivityRegister.ID
    let logger: Logger

    var activity: Activity? { record?.activity }
    var isEligible: Bool { record?.isEligible ?? false }
    var isCurrent: Bool { engine.read { $0.origin.current?.id == id } }
    var encodedSize: Int { activity?.encodedSize ?? 0 }

    private var record: ActivityRegister.Record? { engine.read { try? $0.origin.activity(id) } }

    func update(by client: BusName, _ change: (inout ActivityDraft) throws -> Void) throws {
        let record = try replying { try engine.read { state in Result { try state.origin.activity(id) } }.get() }
        var draft = ActivityDraft(record.activity, isEligible: record.isEligible)
        try change(&draft)
        let activity = try draft.activity(ofType: record.activity.type.rawValue)
        try replying {
            try PayloadSize.check(activity, logger)
            try engine.update(id, to: activity, isEligible: draft.isEligible, by: client.description)
        }
    }

    func becomeCurrent(by client: BusName) throws {
        try replying { try engine.becomeCurrent(id, by: client.description) }
    }

    func resignCurrent(by client: BusName) throws {
        try replying { try engine.resignCurrent(id, by: client.description) }
    }

    func invalidate(by client: BusName) throws {
        try replying { try engine.invalidate(id, by: client.description) }
    }
}
