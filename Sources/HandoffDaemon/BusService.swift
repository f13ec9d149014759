import DBus
import HandoffBus
import HandoffCore
import Logging
import ServiceLifecycle

/// Stands on the bus: shows the engine's state there and carries what programs ask to the engine.
///
/// A bus that goes away takes its programs with it, and their activities; the service waits for it to come back.
struct BusService: Service {
    let engine: Engine
    let address: BusAddress
    let fetcher: any Fetching
    let apps: AppService
    let journal: ContinuationJournal
    let defaultApps: DefaultApps
    let documents: DocumentService
    let documentsPresence: DocumentsPresence
    let streams: any StreamOpening
    /// Whether a person is told what comes near.
    let notifies: Bool
    let pairing: any Pairing
    let version: String
    let logger: Logger

    func run() async throws {
        try await endingQuietly {
            try await cancelWhenGracefulShutdown { try await serve() }
        }
    }

    private func serve() async throws {
        var retry = Backoff()
        var hasServed = false
        while true {
            let stands = Latest(false)
            do {
                try await Connection.withConnection(to: address) { connection in
                    // A bus hands over the calls that made it start the daemon with the name itself: by then, there has
                    // to be something to call.
                    let (presence, clients) = present(on: connection)
                    try await connection.withName(HandoffName.bus) {
                        stands.set(true)
                        logger.info("on the bus", metadata: ["bus": "\(address)"])
                        try await attend(presence, clients)
                    }
                }
            } catch let error as DBusError where error.code != .nameTaken {
                if stands.current.value {
                    hasServed = true
                    retry.reset()
                }
                guard hasServed else { throw error }
                engine.observe(by: nil)
                engine.allClientsLeft()
                logger.warning("the bus is gone: \(error.message)")
                try await retry.wait()
            }
        }
    }

    /// Shows everything on a connection.
    ///
    /// - Returns: what is shown, and the programs that come to hold something, each once.
    private func present(on connection: Connection) -> (BusPresence, AsyncStream<BusName>) {
        let (clients, newClients) = AsyncStream<BusName>.makeStream()
        let continuer = Continuer(
            engine: engine,
            fetcher: fetcher,
            documents: documents,
            connection: connection,
            desk: ContinuationDesk(),
            journal: journal,
            apps: apps,
            logger: logger
        )
        let presence = BusPresence(
            engine: engine,
            connection: connection,
            fetcher: fetcher,
            streams: streams,
            version: version,
            clients: ClientRoster(newClients),
            delegates: DelegateCaller(engine: engine, connection: connection, logger: logger),
            continuer: continuer,
            notices: NoticeService(engine: engine, connection: connection, continuer: continuer, logger: logger),
            defaultApps: defaultApps,
            documents: documents,
            documentsPresence: documentsPresence,
            pairing: pairing
        )
        engine.observe(by: presence) { presence.show($0) }
        return (presence, clients)
    }

    /// Does what is shown there, and watches the programs that hold something, until cancelled.
    private func attend(_ presence: BusPresence, _ clients: AsyncStream<BusName>) async throws {
        presence.connection.objects.announceObjects(of: HandoffName.root)
        presence.continuer.reportLeft()
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await presence.delegates.run() }
            if notifies { group.addTask { await presence.notices.run() } }
            for await client in clients {
                group.addTask { try await watch(client, on: presence.connection, presence.clients) }
            }
        }
        try Task.checkCancellation()
    }

    /// Waits until `client` has left the bus, and tells the engine.
    private func watch(_ client: BusName, on connection: Connection, _ roster: ClientRoster) async throws {
        try await connection.withOwner(of: client) { owners in
            for await owner in owners where owner == nil { break }
        }
        try Task.checkCancellation()
        roster.remove(client)
        engine.clientLeft(client.description)
    }
}
