import AsyncSupport
import DBus
import HandoffBus
import HandoffCore
import Logging
import ServiceLifecycle

/// Connects to the bus: exports the engine's state there, and forwards the calls of clients to the engine.
///
/// When the bus goes away, its clients are gone, and their activities with them; the service then reconnects.
struct BusService: Service {
    let engine: Engine
    let address: BusAddress
    let fetcher: ActivityFetcher
    let apps: AppTracker
    let journal: ContinuationJournal
    let defaultApps: DefaultApps
    let documents: DocumentTracker
    let documentsObject: DocumentsObject
    let streams: StreamOpener
    let pairing: any PairingController
    let rules: RulesObject
    let settings: any SettingsHandler
    let version: String
    let logger: Logger

    func run() async throws {
        try await ignoringCancellation {
            try await cancelWhenGracefulShutdown { try await serve() }
        }
    }

    private func serve() async throws {
        var retry = Backoff(first: .seconds(1), longest: .seconds(60))
        var hasServed = false
        while true {
            let isOnBus = Promise<Void>()
            do {
                try await Connection.withConnection(to: address) { connection in
                    // If a call activated the daemon, the bus delivers it together with the name: by then, the objects
                    // have to be exported.
                    let (objects, clients) = export(on: connection)
                    try await connection.withName(HandoffName.bus) {
                        isOnBus.fulfil(())
                        logger.info("on the bus", metadata: ["event": "bus.ready", "bus": "\(address)"])
                        try await watchClients(objects, clients)
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

    /// Exports everything on a connection.
    ///
    /// - Returns: the exported objects, and the clients that come to own an activity or a scan, each once.
    private func export(on connection: Connection) -> (BusObjects, AsyncStream<BusName>) {
        let (clients, newClients) = AsyncStream<BusName>.makeStream()
        let continuations = ContinuationService(
            engine: engine,
            fetcher: fetcher,
            documents: documents,
            connection: connection,
            journal: journal,
            apps: apps,
            logger: logger
        )
        let objects = BusObjects(
            engine: engine,
            connection: connection,
            fetcher: fetcher,
            streams: streams,
            version: version,
            clients: ClientTracker(newClients),
            requests: PendingRequests(),
            delegates: DelegateCaller(engine: engine, connection: connection, logger: logger),
            continuations: continuations,
            notifications: NotificationService(
                engine: engine,
                connection: connection,
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
        engine.observe(by: objects) { objects.show($0) }
        return (objects, clients)
    }

    /// Runs the services of the connection, and watches the clients that own something, until cancelled.
    private func watchClients(_ objects: BusObjects, _ clients: AsyncStream<BusName>) async throws {
        objects.connection.objects.announceObjects(of: HandoffName.root)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try await objects.continuations.reportLeft() }
            group.addTask { await objects.delegates.run() }
            group.addTask { await objects.notifications.run() }
            for await client in clients {
                group.addTask { try await watch(client, on: objects.connection, objects.clients) }
            }
        }
        try Task.checkCancellation()
    }

    /// Waits until `client` has left the bus, and notifies the engine.
    private func watch(_ client: BusName, on connection: Connection, _ tracker: ClientTracker) async throws {
        try await connection.withOwner(of: client) { owners in
            for await owner in owners where owner == nil { break }
        }
        try Task.checkCancellation()
        tracker.remove(client)
        engine.activities.clientLeft(client)
    }
}
