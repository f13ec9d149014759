import DBus
import HandoffBus
import HandoffCore
import HandoffWire

/// Signals about the activities of this device, other than those about objects that are added or removed.
extension BusObjects {
    /// Emits PropertiesChanged for the properties that differ.
    func showChange(from old: ActivityRegister.Record, to new: ActivityRegister.Record) {
        let changes = new.changes(since: old)
        guard !changes.isEmpty else { return }
        connection.objects.propertiesChanged(
            at: HandoffName.activity(new.id),
            interface: HandoffName.activityInterface,
            changes
        )
    }

    /// Emits the signal for an event of an activity, and calls the activity's app where it has to act or be notified.
    func showEvent(_ effect: Engine.Effect) {
        if let (id, event) = effect.activityEvent { emit(event, of: id) }
        switch effect {
        case .saveRequested(let record, let saveRequest): delegates.willSave(record, saveRequest)
        case .takeEnded(let record, let device, let name, .continued(let kind)):
            delegates.wasContinued(record, by: device, named: name, in: kind)
        case .takeEnded(let record, let device, let name, .failed(let reason)):
            delegates.didFailToContinue(record, on: device, named: name, reason)
        default: break
        }
    }

    func emit(_ event: ActivityEvent, of id: ActivityRegister.ID) {
        connection.emit(event.signal(of: HandoffName.activity(id)))
    }
}

extension ActivityRegister.Record {
    /// Returns the properties of the activity that differ, with their present values.
    func changes(since old: ActivityRegister.Record) -> [String: Value] {
        var changes = ActivityDraft(self).changes(since: ActivityDraft(old))
        if old.encodedSize != encodedSize { changes["EncodedSize"] = .uint32(UInt32(clamping: encodedSize)) }
        if old.documentProblem != documentProblem {
            changes[ActivityInterface.documentProblem.name.description] = .string(documentProblem ?? "")
        }
        return changes
    }
}

extension ActivityEvent.Outcome {
    /// Creates the value of the bus for an outcome of the engine.
    init(_ outcome: SaveRequests.Outcome) {
        self =
            switch outcome {
            case .saved: .saved
            case .failed: .failed
            case .timedOut: .timedOut
            }
    }
}

extension Engine.Effect {
    /// The event of an activity for observers, with the activity; nil for other effects.
    var activityEvent: (ActivityRegister.ID, ActivityEvent)? {
        switch self {
        case .saveRequested(let record, _): return (record.id, .saveRequested)
        case .saveEnded(let id, let outcome): return (id, .saveEnded(ActivityEvent.Outcome(outcome)))
        case .fetched(let id, let device, let activity): return (id, .fetched(device: device, activity))
        case .takeEnded(let record, let device, let name, .continued(let kind)):
            return (record.id, .continued(device: device, name: name, kind: kind.name))
        case .takeEnded(let record, let device, let name, .failed(let reason)):
            let (error, message) = (HandoffErrorName(reason), reason.message(about: name))
            return (record.id, .continuationFailed(device: device, name: name, error, message: message))
        default: return nil
        }
    }
}
