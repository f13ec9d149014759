import AsyncSupport
import DBus
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
import Logging

/// Notifies the user on the desktop of activities that can be continued here, and continues one when it is clicked; and of
/// each device that joins or leaves the circle.
///
/// While the desktop has no notification server, no activity is shown, also not later; what other devices report of the
/// circle is shown by the next server. While the settings want no notifications of activities, there are none; of the
/// circle there are.
struct NotificationService: Sendable {
    let engine: Engine
    let connection: Connection
    let continuations: ContinuationService
    let logger: Logger

    /// The most events that wait; the newest count.
    private static let maximumEvents = 256
    /// How long a user waits before the notification says so: most activities arrive earlier.
    private static let patience = Duration.seconds(1)

    private let offers = CurrentValue<[NearbyNotifications.Offer]>([])
    private let events: AsyncStream<NotificationController.Event>
    private let newEvents: AsyncStream<NotificationController.Event>.Continuation

    init(
        engine: Engine,
        connection: Connection,
        continuations: ContinuationService,
        logger: Logger
    ) {
        self.engine = engine
        self.connection = connection
        self.continuations = continuations
        self.logger = logger
        (events, newEvents) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.maximumEvents))
    }

    /// Notes that a nearby activity has changed.
    func nearbyChanged() {
        offers.update(engine.desktop.notifies ? engine.nearby.offers : [])
    }

    /// Notes that the user continues an activity.
    func continued(_ id: NearbyEntry.ID) {
        newEvents.yield(.continued(id))
    }

    /// Tells the user that another device has changed who belongs to the circle.
    func circleChanged(_ changes: TrustedDevices.Changes, by source: DeviceID) {
        let name = engine.trust.member(source)?.name.rawValue ?? source.description
        newEvents.yield(.circleChanged(changes, by: source, named: name))
    }

    /// Tells the user that this device has changed who belongs to the circle, whichever program has asked for it.
    func circleChangedHere(_ changes: TrustedDevices.Changes, hasLeft: Bool) {
        guard !hasLeft else {
            let remedy = "It trusts no other device any more. Pair it again if that was not you."
            newEvents.yield(.message("This computer has left your devices", remedy))
            return
        }
        for device in changes.added {
            let remedy = "This computer trusts it now. Remove it if that was not you."
            newEvents.yield(.message("\(device.name) joined your devices", remedy))
        }
        for device in changes.removed {
            newEvents.yield(
                .message("\(device.name) was removed from your devices", "It was removed on this computer.")
            )
        }
    }

    /// Shows notifications until cancelled.
    func run() async {
        do {
            try await connection.withSignals(NotificationServer.signals) { signals in
                try await connection.withOwner(of: NotificationServer.name) { owners in
                    try await run(signals, owners)
                }
            }
        } catch is CancellationError {
            return
        } catch {
            // Either the bus is gone, and the next connection starts again, or a server has sent signals faster than
            // they are read.
            logger.debug(
                "notifications stopped: \(error)",
                metadata: ["event": "notification.unavailable"]
            )
        }
    }

    private func run(_ signals: SignalSequence, _ owners: AsyncStream<BusName?>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                for try await signal in signals {
                    if let event = NotificationEvent(signal) { newEvents.yield(.server(event)) }
                }
            }
            group.addTask { for await owner in owners { newEvents.yield(.owner(owner)) } }
            group.addTask {
                var version = offers.initial
                while true {
                    version = try await offers.changed(since: version)
                    newEvents.yield(.offers(version.value))
                }
            }
            group.addTask { try await showWaits() }
            await answer(&group)
        }
    }

    /// Shows that an activity is coming when nothing else shows it for a while.
    private func showWaits() async throws {
        let wait = continuations.progress.wait
        var version = wait.initial
        while true {
            version = try await wait.changed(since: version)
            if version.value != nil {
                let (wait, seen) = (wait, version)
                let next = try await withTimeout(Self.patience) { try await wait.changed(since: seen) }
                guard next == nil, engine.desktop.notifies else { continue }
            }
            newEvents.yield(.waiting(version.value?.deviceName))
        }
    }

    /// Handles the events one after the other.
    private func answer(_ group: inout ThrowingDiscardingTaskGroup<any Error>) async {
        var controller = NotificationController(
            server: NotificationServer(connection: connection, app: .handoff),
            engine: engine,
            logger: logger
        )
        var alarm: Duration?
        for await event in events {
            switch await controller.handle(event) {
            case .continuation(let click): group.addTask { await handle(click) }
            case .cancellation: continuations.cancelNewest()
            case nil: break
            }
            if event == .alarm { alarm = nil }
            guard let next = await controller.advance(), alarm.map({ next < $0 }) ?? true else { continue }
            alarm = next
            group.addTask {
                try await sleep(for: next - Moment.now.uptime)
                newEvents.yield(.alarm)
            }
        }
    }

    private func handle(_ click: NotificationController.Click) async {
        let name = engine.nearby.deviceName(of: click.entry)
        do {
            let options = ContinuationOptions(activationToken: click.activationToken, showsFailure: true)
            _ = try await continuations.continueEntry(click.entry, options)
        } catch let error as HandoffError {
            // Cancelled by another choice of the user, which needs no message.
            guard error.code != .userCancelled else { return }
            newEvents.yield(.message("Could not continue from \(name)", error.message))
        } catch is CancellationError {
            return
        } catch {
            newEvents.yield(.message("Could not continue from \(name)", "\(error)"))
        }
    }
}

extension NotificationServer.App {
    /// Handoff, as its desktop file names it.
    fileprivate static let handoff = NotificationServer.App(name: "Handoff", desktopFile: HandoffName.desktopFile)
}

extension EngineNearby {
    /// The activities that can be continued here.
    fileprivate var offers: [NearbyNotifications.Offer] {
        engine.read { state in
            state.shownEntries.compactMap { entry in
                state.launchTarget(of: entry).displayName.map {
                    NearbyNotifications.Offer(
                        id: entry.id,
                        device: entry.device,
                        typeHash: entry.typeHash,
                        targetName: $0
                    )
                }
            }
        }
    }

    /// Returns the name of an entry's device.
    fileprivate func deviceName(of id: NearbyEntry.ID) -> String {
        engine.read { state in
            state.nearby.table[id].flatMap { state.trust.devices[$0.device]?.name.rawValue } ?? "another device"
        }
    }
}

extension AppRegistry.LaunchTarget {
    /// Returns the text that the user reads about the target; nil if nothing opens the activity.
    var displayName: String? {
        switch self {
        case .app(let app): app.name
        case .browser: "the browser"
        case .document: "the app for its document"
        case .none: nil
        }
    }
}
