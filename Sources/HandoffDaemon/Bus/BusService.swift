import AsyncSupport
import DBus
import HandoffBus
import HandoffCore
import Logging

/// Connects to the bus: exports the engine's state there, and forwards the calls of clients to the engine.
///
/// It has two connections. One owns the name for apps; a sandbox that lets an app talk to that name also lets it call the
/// connection by its unique name, and receive its signals, so there is nothing on it that is not for apps. The other one
/// owns the name for the user's own programs, and performs no call of a sandboxed program.
///
/// When the bus goes away, its clients are gone, and their activities with them; the service then reconnects.
struct BusService: Service {
    let engine: Engine
    let address: BusAddress
    let fetcher: ActivityFetcher
    let appTracker: AppTracker
    let journal: ContinuationJournal
    let defaultApps: DefaultApps
    let documents: DocumentTracker
    let documentsObject: DocumentsObject
    let streams: StreamOpener
    let pairing: any PairingController
    let rules: RulesObject
    let settings: any SettingsHandler
    let logger: Logger

    func run() async throws {
        var retry = Backoff(first: .seconds(1), longest: .seconds(60))
        var hasServed = false
        while true {
            let isOnBus = Promise<Void>()
            do {
                try await withConnections { control, apps in
                    // If a call activated the daemon, the bus delivers it together with the name: by then, the objects
                    // have to be exported.
                    let (objects, clients) = export(on: control, apps)
                    try await control.withName(HandoffName.control) {
                        try await apps.withName(HandoffName.bus) {
                            isOnBus.fulfil(())
                            logger.info("on the bus", metadata: ["event": "bus.ready", "bus": "\(address)"])
                            try await watchClients(objects, clients)
                        }
                    }
                }
            } catch let error as DBusError where error.code != .nameTaken {
                if isOnBus.valueIfSet != nil {
                    hasServed = true
                    retry.reset()
                }
                guard hasServed else { throw error }
                engine.observe(by: nil)
                engine.activities.allClientsLeft()
                logger.warning("lost the bus: \(error.message)", metadata: ["event": "bus.lost"])
                try await retry.wait()
            }
        }
    }

    private func withConnections(
        _ body: @escaping @Sendable (_ control: Connection, _ apps: Connection) async throws -> Void
    ) async throws {
        // The one for apps is open longer: when the daemon stops, the calls in progress on the other one tell apps.
        try await Connection.withConnection(to: address) { apps in
            try await Connection.withConnection(to: address) { control in try await body(control, apps) }
        }
    }

    /// Exports everything on the connection for the user's own programs, and what apps need on the other one.
    ///
    /// - Returns: the exported objects, and the clients that come to own an activity or a scan, each once.
    private func export(on control: Connection, _ apps: Connection) -> (BusObjects, AsyncStream<BusName>) {
        let (clients, newClients) = AsyncStream<BusName>.makeStream()
        let continuations = ContinuationService(
            engine: engine,
            fetcher: fetcher,
            documents: documents,
            connection: apps,
            observers: control,
            journal: journal,
            apps: appTracker,
            logger: logger
        )
        let objects = BusObjects(
            engine: engine,
            connection: control,
            apps: AppObjects(engine: engine, connection: apps),
            fetcher: fetcher,
            streams: streams,
            clients: ClientTracker(newClients),
            focus: FocusTracker(engine: engine, connection: control),
            requests: PendingRequests(),
            delegates: DelegateCaller(engine: engine, connection: apps),
            continuations: continuations,
            notifications: NotificationService(
                engine: engine,
                connection: control,
                continuations: continuations,
                logger: logger
            ),
            defaultApps: defaultApps,
            documents: documents,
            documentsObject: documentsObject,
            pairing: pairing,
            rules: rules,
            settings: settings
        )
        let sandboxes = SandboxCheck(connection: control, log: engine.peerLog)
        control.objects.admitCallers { await sandboxes.verdict(on: $0) }
        engine.observe(by: objects) { objects.show($0) }
        return (objects, clients)
    }

    /// Runs the services of the connection, and watches the clients that own something, until cancelled.
    private func watchClients(_ objects: BusObjects, _ clients: AsyncStream<BusName>) async throws {
        objects.connection.objects.announceObjects(of: HandoffName.root)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try await objects.continuations.reportLeft() }
            group.addTask { await objects.delegates.run() }
            group.addTask { await objects.focus.run() }
            group.addTask { await objects.notifications.run() }
            for await client in clients {
                group.addTask { try await watch(client, objects) }
            }
        }
        try Task.checkCancellation()
    }

    /// Waits until `client` has left the bus, and notifies the engine.
    ///
    /// Each connection has then handled what the client had sent to it.
    private func watch(_ client: BusName, _ objects: BusObjects) async throws {
        try await objects.connection.withDeparture(of: client) { departureFromControl in
            try await objects.apps.connection.withDeparture(of: client) { departureFromApps in
                try await departureFromControl()
                try await departureFromApps()
            }
        }
        try Task.checkCancellation()
        objects.clients.remove(client)
        objects.focus.clientLeft(client)
        engine.activities.clientLeft(client)
    }
}
