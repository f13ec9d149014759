import DBus
import HandoffBus
import HandoffCore

/// The D-Bus objects for apps: what an app needs to publish its activities and to open streams, and nothing of others.
///
/// An app may run in a sandbox that lets it call this connection and receive everything that it broadcasts. So an
/// activity exists here for the connection only that created it, and its signals are sent to that connection alone.
struct AppObjects: Sendable {
    let engine: Engine
    /// The connection for apps.
    let connection: Connection

    /// Exports the parts for apps of the interfaces of the daemon's own object.
    func insert(_ interfaces: [Interface]) {
        let parts = interfaces.map { $0.limitedToApps().mappingErrors(errorReply) }
        connection.objects.insert(parts, at: HandoffName.root)
    }

    /// Exports an activity for the app that has created it.
    func insert(_ interface: Interface, of record: ActivityRegister.Record) {
        let path = HandoffName.activity(record.id)
        connection.objects.insert([interface.mappingErrors(errorReply)], at: path, for: record.owner)
    }

    /// Shows an effect to the app that it concerns; activities are inserted by ``insert(_:of:)``.
    func show(_ effect: Engine.Effect) {
        if let (id, event) = effect.activityEvent, let record = record(id) { emit(event, of: record) }
        switch effect {
        case .activityRemoved(let id): connection.objects.remove(at: HandoffName.activity(id))
        case .activityChanged(let old, let new): show(Self.changes(of: new, since: old), of: new)
        case .currentChanged(let old, let new):
            for (id, isCurrent) in [(old, false), (new, true)] {
                if let record = id.flatMap(record) {
                    show([ActivityInterface.current.name.description: .boolean(isCurrent)], of: record)
                }
            }
        default: break
        }
    }

    /// Emits PropertiesChanged for those of the daemon's own properties that are for apps.
    func showManager(_ changes: [String: Value]) {
        let changes = changes.filter { Interface.isForApps($0.key) }
        guard !changes.isEmpty else { return }
        let (root, interface) = (HandoffName.root, HandoffName.managerInterface)
        connection.objects.propertiesChanged(at: root, interface: interface, changes)
    }

    /// Emits the signal for an event of an activity.
    func emit(_ event: ActivityEvent, of record: ActivityRegister.Record) {
        var signal = event.signal(of: HandoffName.activity(record.id))
        signal.destination = record.owner
        connection.emit(signal)
    }

    /// Returns the properties that differ for the app: a change of a problem that it does not learn is none.
    private static func changes(
        of new: ActivityRegister.Record,
        since old: ActivityRegister.Record
    ) -> [String: Value] {
        var changes = new.changes(since: old)
        let problems = [old, new].map(Audience.apps.documentProblem)
        changes[ActivityInterface.documentProblem.name.description] =
            problems[0] == problems[1] ? nil : .string(problems[1] ?? "")
        return changes
    }

    private func show(_ changes: [String: Value], of record: ActivityRegister.Record) {
        guard !changes.isEmpty else { return }
        connection.objects.propertiesChanged(
            at: HandoffName.activity(record.id),
            interface: HandoffName.activityInterface,
            changes,
            for: record.owner
        )
    }

    private func record(_ id: ActivityRegister.ID) -> ActivityRegister.Record? {
        engine.read { try? $0.origin.activity(id) }
    }
}
