import AsyncSupport
import DBus
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
import Logging

/// Tells a person on the desktop what can be continued here, and goes on with it at a click.
///
/// A desktop that shows no notifications is none of its business: it tells the next thing when there is one.
struct NotificationService: Sendable {
    let engine: Engine
    let connection: Connection
    let continuations: ContinuationService
    let logger: Logger

    private let offers = CurrentValue<[NearbyNotifications.Offer]>([])
    private let events: AsyncStream<NotificationController.Event>
    private let newEvents: AsyncStream<NotificationController.Event>.Continuation

    init(engine: Engine, connection: Connection, continuations: ContinuationService, logger: Logger) {
        self.engine = engine
        self.connection = connection
        self.continuations = continuations
        self.logger = logger
        (events, newEvents) = AsyncStream.makeStream()
    }

    /// Takes in that something nearby has changed.
    func nearbyChanged() {
        offers.update(engine.offers)
    }

    /// Takes in that a person goes on with an activity.
    func continued(_ id: NearbyEntry.ID) {
        newEvents.yield(.continued(id))
    }

    /// Tells until cancelled.
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
            // The bus is gone, and what comes after it begins anew; or a server has sent more than anybody reads.
            logger.debug("nobody is told any more what comes near: \(error)")
        }
    }

    private func run(_ signals: SignalSequence, _ owners: AsyncStream<BusName?>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                for try await signal in signals {
                    if let event = NotificationServer.Event(signal) { newEvents.yield(.server(event)) }
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
            await answer(&group)
        }
    }

    /// Takes in one event after the other, and does what follows.
    private func answer(_ group: inout ThrowingDiscardingTaskGroup<any Error>) async {
        var controller = NotificationController(
            server: NotificationServer(connection: connection),
            engine: engine,
            logger: logger
        )
        var alarm: Duration?
        for await event in events {
            if let click = await controller.handle(event) { group.addTask { await handle(click) } }
            if event == .alarm { alarm = nil }
            guard let next = await controller.advance(), alarm.map({ next < $0 }) ?? true else { continue }
            alarm = next
            group.addTask {
                try await Task.sleep(for: next - Moment.now.uptime)
                newEvents.yield(.alarm)
            }
        }
    }

    private func handle(_ click: NotificationController.Click) async {
        let name = engine.name(of: click.entry)
        do {
            let options = ContinuationOptions(activationToken: click.activationToken)
            _ = try await continuations.continueEntry(click.entry, options)
        } catch let error as HandoffError {
            // Whoever has chosen something else meanwhile knows it.
            guard error.code != .userCancelled else { return }
            newEvents.yield(.failed("Not continued from \(name)", error.message))
        } catch is CancellationError {
            return
        } catch {
            newEvents.yield(.failed("Not continued from \(name)", "\(error)"))
        }
    }
}

extension Engine {
    /// What can be continued here.
    fileprivate var offers: [NearbyNotifications.Offer] {
        read { state in
            state.nearby.all.compactMap { entry in
                let target = state.apps.launchTarget(for: state.type(of: entry.typeHash), hasWebpage: entry.hasWebpage)
                return target.displayName.map {
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

    /// What the device of an entry is called.
    fileprivate func name(of id: NearbyEntry.ID) -> String {
        read { state in state.nearby[id].flatMap { state.devices[$0.device]?.name.rawValue } ?? "another device" }
    }
}

extension AppRegistry.LaunchTarget {
    /// What a person reads about it; nil where nothing opens the activity.
    fileprivate var displayName: String? {
        switch self {
        case .app(let app): app.name
        case .browser: "the browser"
        case .none: nil
        }
    }
}
