import DBus
import HandoffBus
import HandoffCore
import HandoffModel

/// Implements `Activity1` for one activity of the engine.
struct ActivityObject: ActivityHandler {
    let engine: Engine
    let id: ActivityRegister.ID
    let audience: Audience

    var type: String { record?.activity.type.rawValue ?? "" }
    var draft: ActivityDraft { record.map(ActivityDraft.init) ?? ActivityDraft() }
    var isCurrent: Bool { engine.read { $0.origin.current?.id == id } }
    var encodedSize: Int { record?.encodedSize ?? 0 }

    var documentProblem: String { record.flatMap(audience.documentProblem) ?? "" }

    private var record: ActivityRegister.Record? { engine.read { try? $0.origin.activity(id) } }

    func update(by client: BusName, _ change: (inout ActivityDraft) throws -> Void) throws {
        let record = try engine.read { state in Result { try state.origin.activity(id) } }.get()
        var draft = ActivityDraft(record)
        try change(&draft)
        let activity = try draft.activity(ofType: record.activity.type.rawValue)
        try PayloadSize.check(activity, replacing: record.activity, engine.peerLog)
        let namesSameFiles = UserInfoValue.haveEqualEntries(activity.userInfo, record.activity.userInfo)
        let problem =
            namesSameFiles
            ? nil
            : try audience.checkingDocuments { () throws(HandoffError) in
                try engine.desktop.documentProblem(of: activity)
            }
        try engine.activities.update(id, by: client) {
            $0.activity = activity
            $0.isEligible = draft.isEligible
            // A new delegate has not been asked for its state yet.
            if let delegate = draft.delegate, delegate != $0.delegate { $0.needsSave = true }
            $0.delegate = draft.delegate
            $0.application = draft.application
            // What is known of the same files may have changed meanwhile.
            if !namesSameFiles { $0.documentProblem = problem }
        }
    }

    func setNeedsSave(_ needsSave: Bool, by client: BusName) throws {
        try engine.activities.setNeedsSave(needsSave, of: id, by: client)
    }

    func becomeCurrent(by client: BusName) throws {
        try engine.activities.becomeCurrent(id, by: client)
    }

    func resignCurrent(by client: BusName) throws {
        try engine.activities.resignCurrent(id, by: client)
    }

    func invalidate(by client: BusName) throws {
        try engine.activities.invalidate(id, by: client)
    }
}

extension ActivityDraft {
    /// Creates a draft with the values of an activity of the engine.
    init(_ record: ActivityRegister.Record) {
        self.init(
            record.activity,
            isEligible: record.isEligible,
            needsSave: record.needsSave,
            delegate: record.delegate,
            application: record.application
        )
    }
}
