import HandoffBus
import UnixSignals
import DBus
import HandoffApps
import Epoll
import HandoffFolders
import HandoffCore
import HandoffModel
package import HandoffRadio
package import Logging
import ServiceLifecycle
import SystemPackage

/// The whole daemon, over any radio: every service that runs between its start and its stop.
package struct Daemon<R: Radio>: Sendable {
    private let options: DaemonOptions
    private let radio: R
    private let logger: Logger

    package init(options: DaemonOptions, radio: R, logger: Logger) {
        self.options = options
        self.radio = radio
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT.
    ///
    /// - Throws: ``HandoffError`` when the state directory cannot be used, `DBusError` when the bus cannot be reached
    ///   or another handoffd owns the name on it, `RadioError` when the radio cannot become usable by waiting.
    package func run() async throws {
        try await StateDirectory.withDirectory(at: options.stateDirectory) { directory in
            let identity = try Identity.loaded(from: directory)
            let devices = try TrustedDevices(from: directory)
            let engine = try Engine(identity: identity, name: options.name, devices: devices, logger: logger)
            engine.cover(options.coversAdvertisement)
            logger.info(
                "starting",
                metadata: [
                    "event": "daemon.started", "version": "\(HandoffVersion.current)", "device": "\(identity.id)",
                    "name": "\(options.deviceName)",
                ]
            )
            try await Reactor.withReactor { reactor in
                try await group(of: try services(for: engine, in: directory, on: reactor)).run()
            }
        }
    }

    private func group(of services: [any Service]) -> ServiceGroup {
        ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: lifecycleLogger
            )
        )
    }

    /// The logger of the service group, at `notice` or above: below that, the group logs every service with all its
    /// contents.
    private var lifecycleLogger: Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        return quiet
    }

    /// The services in the order of their start.
    ///
    /// They stop in reverse order, so that the withdrawal advertisement is still broadcast after the bus connection is
    /// closed.
    private func services(
        for engine: Engine,
        in directory: StateDirectory,
        on reactor: Reactor
    ) throws -> [any Service] {
        let fetcher = FetchService(engine: engine, radio: radio, logger: logger)
        let streams = StreamService(engine: engine, radio: radio, reactor: reactor, logger: logger)
        let apps = AppTracker(
            engine: engine,
            scan: options.apps,
            documentApps: options.documentApps,
            reactor: reactor,
            logger: logger
        )
        let pairing = PairingService(engine: engine, radio: radio, logger: logger)
        try engine.setPairings(PairingsFile(in: directory))
        let defaultApps = try DefaultApps(from: directory)
        engine.setDefaultApps(defaultApps.all)
        let documents = DocumentTracker(engine: engine, logger: logger)
        let folders = try FolderList(from: directory, configured: options.folders, home: options.home)
        engine.setFolders(folders.all)
        let login =
            options.staysWhenAway
            ? [] : [LoginSessionMonitor(engine: engine, bus: .system, logger: logger)]
        return login + [
            RadioService(engine: engine, radio: radio, logger: logger),
            AlarmService(engine: engine, reactor: reactor),
            apps,
            ListeningService(engine: engine, radio: radio, reactor: reactor, logger: logger),
            ScanningService(engine: engine, radio: radio, logger: logger),
            fetcher,
            CircleUpdateService(engine: engine, radio: radio, logger: logger),
            streams,
            documents,
            AdvertisingService(engine: engine, radio: radio, logger: logger),
            pairing,
            PairingReconciliationService(engine: engine, radio: radio, logger: logger),
            BusService(
                engine: engine,
                address: options.bus,
                fetcher: fetcher,
                apps: apps,
                journal: ContinuationJournal(in: directory, logger: logger),
                defaultApps: defaultApps,
                documents: documents,
                documentsObject: DocumentsObject(
                    engine: engine,
                    list: folders,
                    apps: options.apps.directories
                ),
                streams: streams,
                notifies: options.notifies,
                pairing: pairing,
                version: HandoffVersion.current,
                logger: logger
            ),
        ]
    }
}
