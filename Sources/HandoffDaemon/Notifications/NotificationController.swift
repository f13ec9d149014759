import DBus
import HandoffBus
import HandoffCore
import Logging

/// The notification that is on the desktop, if there is one, and the machine that decides about it.
struct NotificationController {
    /// Something that it has to take in.
    enum Event: Hashable, Sendable {
        /// All that can be continued now.
        case offers([NearbyNotifications.Offer])
        case continued(NearbyEntry.ID)
        case server(NotificationServer.Event)
        /// Who shows notifications from now on; nil for nobody.
        case owner(BusName?)
        /// A moment that was asked for has come.
        case alarm
        /// What a person clicked did not work: a headline and a sentence.
        case failed(String, String)
    }

    /// A person wants to go on with an activity.
    struct Click: Hashable, Sendable {
        let entry: NearbyEntry.ID
        /// With which a window may take the focus.
        let activationToken: String?
    }

    private struct Shown {
        let number: UInt32
        let entry: NearbyEntry.ID
        var activationToken: String?
    }

    private let server: NotificationServer
    private let engine: Engine
    private let logger: Logger
    private var machine = NearbyNotifications()
    private var shown: Shown?
    private var owner: BusName?
    /// What the server can do, once it was asked.
    private var capabilities: Set<String>?

    init(server: NotificationServer, engine: Engine, logger: Logger) {
        self.server = server
        self.engine = engine
        self.logger = logger
    }

    /// Takes in what happened; returns what a person has chosen thereby.
    mutating func handle(_ event: Event) async -> Click? {
        switch event {
        case .offers(let offers): machine.update(offers)
        case .continued(let id): await perform(machine.continued(id, at: Moment.now.uptime))
        case .server(let event): return handle(event)
        case .owner(let next):
            // Another server knows nothing of what the one before has shown; one that comes when it is needed has just begun.
            if owner != nil, next != owner {
                (shown, capabilities) = (nil, nil)
                machine.closed()
            }
            owner = next
        case .alarm: break
        case .failed(let summary, let message):
            _ = await show(NotificationServer.Notification(summary: summary, body: message))
        }
        return nil
    }

    /// Does what is due; returns when it has to be asked again.
    mutating func advance() async -> Duration? {
        let (actions, next) = machine.advance(to: Moment.now.uptime)
        await perform(actions)
        return next
    }

    private mutating func handle(_ event: NotificationServer.Event) -> Click? {
        switch event {
        case .activationToken(let number, let token):
            if shown?.number == number { shown?.activationToken = token }
        case .clicked(let number):
            guard let shown, shown.number == number else { return nil }
            return Click(entry: shown.entry, activationToken: shown.activationToken)
        case .closed(let number):
            logger.debug("a notification is gone", metadata: ["number": "\(number)"])
            guard shown?.number == number else { return nil }
            shown = nil
            machine.closed()
        }
        return nil
    }

    private mutating func perform(_ actions: [NearbyNotifications.Action]) async {
        for action in actions {
            switch action {
            case .close:
                if let shown { server.close(shown.number) }
                shown = nil
            case .show(let offer): await show(offer)
            }
        }
    }

    private mutating func show(_ offer: NearbyNotifications.Offer) async {
        guard let entry = try? engine.entry(offer.id) else { return }
        let description = engine.describe(entry)
        let notification = NotificationServer.Notification(
            summary: "Continue from \(description.deviceName)",
            body: "Opens in \(offer.targetName).",
            icon: description.launchTarget.icon,
            button: "Continue"
        )
        let number = await show(notification, replacing: shown?.number)
        guard let number else {
            shown = nil
            return machine.closed()
        }
        shown = Shown(number: number, entry: offer.id)
        logger.debug("a notification is shown", metadata: ["number": "\(number)"])
    }

    private mutating func show(
        _ notification: NotificationServer.Notification,
        replacing old: UInt32? = nil
    ) async -> UInt32? {
        do throws(DBusError) {
            let able = if let capabilities { capabilities } else { try await server.capabilities() }
            capabilities = able
            return try await server.show(notification, replacing: old, capabilities: able)
        } catch {
            logger.debug("no notification is shown: \(error.message)")
            return nil
        }
    }
}
