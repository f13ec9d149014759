import Synchronization

/// The events that were recorded, in order.
final class EventLog<Event: Sendable>: Sendable {
    private let log = Mutex<[Event]>([])

    var events: [Event] { log.withLock(\.self) }

    func append(_ event: Event) {
        log.withLock { $0.append(event) }
    }
}
