import DBus
import HandoffBus
import HandoffCore
import HandoffWire

/// Signals about the activities of this device, other than those about objects that are added or removed.
extension BusObjects {
    /// Emits PropertiesChanged for the properties that differ.
    func showChange(from old: ActivityRegister.Record, to new: ActivityRegister.Record) {
        var changes = ActivityDraft(new).changes(since: ActivityDraft(old))
        if old.encodedSize != new.encodedSize {
            changes["EncodedSize"] = .uint32(UInt32(clamping: new.encodedSize))
        }
        if old.documentProblem != new.documentProblem {
            changes["DocumentProblem"] = .string(new.documentProblem ?? "")
        }
        guard !changes.isEmpty else { return }
        connection.objects.propertiesChanged(
            at: HandoffName.activity(new.id),
            interface: HandoffName.activityInterface,
            changes
        )
    }

    /// Emits the signal for an event of an activity, and calls the activity's app where it has to act or be notified.
    func showEvent(_ effect: Engine.Effect) {
        switch effect {
        case .saveRequested(let record, let saveRequest):
            emit(.saveRequested, of: record.id)
            delegates.willSave(record, saveRequest)
        case .saveEnded(let id, let outcome):
            emit(.saveEnded(ActivityEvent.Outcome(outcome)), of: id)
        case .fetched(let id, let device, let activity):
            emit(.fetched(device: device, activity), of: id)
        case .takeEnded(let record, let device, let name, .continued(let kind)):
            emit(.continued(device: device, name: name, kind: kind.name), of: record.id)
            delegates.wasContinued(record, by: device, named: name, in: kind)
        case .takeEnded(let record, let device, let name, .failed(let reason)):
            let (error, message) = (HandoffErrorName(reason), reason.message(about: name))
            emit(.continuationFailed(device: device, name: name, error, message: message), of: record.id)
            delegates.didFailToContinue(record, on: device, named: name, reason)
        default: break
        }
    }

    func emit(_ event: ActivityEvent, of id: ActivityRegister.ID) {
        connection.emit(event.signal(of: HandoffName.activity(id)))
    }
}

extension ActivityEvent.Outcome {
    /// Creates the value of the bus for an outcome of the engine.
    fileprivate init(_ outcome: SaveRequests.Outcome) {
        self =
            switch outcome {
            case .saved: .saved
            case .failed: .failed
            case .timedOut: .timedOut
            }
    }
}
