import DBus
import HandoffBus
import HandoffCore
import HandoffModel
import Logging

/// The notification on the desktop, if there is one, and the state machine that decides about it.
struct NotificationController {
    /// An input of the controller.
    enum Event: Hashable, Sendable {
        /// All activities that can be continued now.
        case offers([NearbyNotifications.Offer])
        case continued(NearbyEntry.ID)
        case server(NotificationEvent)
        /// The owner of the notification server's name from now on; nil for none.
        case owner(BusName?)
        /// The time of a requested wake-up has come.
        case alarm
        /// Something that the user should know: a headline and a sentence.
        case message(String, String)
        /// Another device has reported a change of the circle, which nobody at this computer knows of: where there is no
        /// server, it waits for one.
        case circleChanged(TrustedDevices.Changes, by: DeviceID, named: String)
        /// The name of the device for whose activity the user waits; nil when the user waits no longer.
        case waiting(String?)
    }

    /// What the user wants.
    enum Choice: Hashable, Sendable {
        case continuation(Click)
        /// To wait for the activity no longer.
        case cancellation
    }

    /// The user's click to continue an activity.
    struct Click: Hashable, Sendable {
        let entry: NearbyEntry.ID
        /// The token with which a window may take the focus.
        let activationToken: String?
    }

    private struct Shown {
        let number: UInt32
        let entry: NearbyEntry.ID
        var activationToken: String?
    }

    /// The most reports that wait for a server; a person reads no more at once.
    ///
    /// Beyond that, the oldest one is lost.
    private static let maximumUnshown = 32

    private let server: NotificationServer
    private let engine: Engine
    private let logger: Logger
    private var machine = NearbyNotifications()
    private var reports = CircleReports()
    private var shown: Shown?
    /// The reports that no server has shown yet, the oldest first.
    private var unshown: [DesktopNotification] = []
    /// The number of the notification that an activity is coming.
    private var waiting: UInt32?
    private var owner: BusName?
    /// The capabilities of the server; nil until it was asked.
    private var capabilities: Set<String>?

    init(server: NotificationServer, engine: Engine, logger: Logger) {
        self.server = server
        self.engine = engine
        self.logger = logger
    }

    /// Handles an event; returns what the user has chosen, if it is a choice.
    mutating func handle(_ event: Event) async -> Choice? {
        switch event {
        case .offers(let offers): machine.update(offers)
        case .continued(let id): await perform(machine.continued(id, at: Moment.now.uptime))
        case .server(let event): return handle(event)
        case .owner(let next):
            // A different server does not know the notifications of the previous one; a server that was activated by a
            // call has just started.
            if owner != nil, next != owner {
                (shown, waiting, capabilities) = (nil, nil, nil)
                machine.closed()
            }
            owner = next
            if next != nil { await showReports() }
        case .alarm: break
        case .message(let summary, let message):
            _ = await show(DesktopNotification(summary: summary, body: message))
        case .circleChanged(let changes, let source, let name):
            let new = reports.reports(of: changes, by: source, named: name, at: Moment.now.uptime)
            for report in new { await show(report) }
        case .waiting(let device): await showWait(for: device)
        }
        return nil
    }

    /// Performs the actions that are due; returns the time until the next call.
    mutating func advance() async -> Duration? {
        let (actions, next) = machine.advance(to: Moment.now.uptime)
        await perform(actions)
        return next
    }

    private mutating func handle(_ event: NotificationEvent) -> Choice? {
        switch event {
        case .activationToken(let number, let token):
            if shown?.number == number { shown?.activationToken = token }
        case .pressed(let number, _):
            if number == waiting { return .cancellation }
            guard let shown, shown.number == number else { return nil }
            return .continuation(Click(entry: shown.entry, activationToken: shown.activationToken))
        case .closed(let number):
            logger.debug(
                "notification closed",
                metadata: ["event": "notification.closed", "number": "\(number)"]
            )
            if waiting == number { waiting = nil }
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

    /// Shows a report, now or when there is a server.
    private mutating func show(_ report: CircleReports.Report) async {
        unshown.append(DesktopNotification(summary: report.summary, body: report.body))
        if unshown.count > Self.maximumUnshown {
            unshown.removeFirst()
            logger.notice("a notification was lost: none can be shown", metadata: ["event": "notification.lost"])
        }
        await showReports()
    }

    private mutating func showReports() async {
        while let next = unshown.first {
            // What a server refuses, or has shown without an answer, is not tried again.
            guard await show(next) != nil || owner != nil else { return }
            unshown.removeFirst()
        }
    }

    /// Shows that an activity of a device is coming; with nil, that none is.
    private mutating func showWait(for device: String?) async {
        if let waiting, device == nil { server.close(waiting) }
        guard let device else { return waiting = nil }
        let notification = DesktopNotification(
            summary: "Continuing from \(device)",
            body: "The activity is being fetched.",
            // A click on the notification itself does not cancel.
            actions: [DesktopNotification.Action("cancel", "Cancel")],
            isPersistent: true
        )
        waiting = await show(notification, replacing: waiting)
    }

    private mutating func show(_ offer: NearbyNotifications.Offer) async {
        guard let entry = try? engine.nearby.entry(offer.id) else { return }
        let description = engine.nearby.describe(entry)
        let notification = DesktopNotification(
            summary: "Continue from \(description.deviceName)",
            body: "Opens in \(offer.targetName).",
            icon: description.applicationIcon,
            // A click on the notification itself invokes "default", which not every desktop supports.
            actions: ["default", "continue"].map { DesktopNotification.Action($0, "Continue") }
        )
        let number = await show(notification, replacing: shown?.number)
        guard let number else {
            shown = nil
            return machine.closed()
        }
        shown = Shown(number: number, entry: offer.id)
        logger.debug(
            "notification shown",
            metadata: ["event": "notification.shown", "number": "\(number)"]
        )
    }

    private mutating func show(
        _ notification: DesktopNotification,
        replacing old: UInt32? = nil
    ) async -> UInt32? {
        do throws(DBusError) {
            let able = if let capabilities { capabilities } else { try await server.capabilities() }
            capabilities = able
            return try await server.show(notification, replacing: old, capabilities: able)
        } catch {
            logger.debug(
                "cannot show a notification: \(error.message)",
                metadata: ["event": "notification.failed"]
            )
            return nil
        }
    }
}
