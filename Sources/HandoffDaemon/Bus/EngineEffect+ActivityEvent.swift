import HandoffBus
import HandoffCore
import HandoffWire

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
