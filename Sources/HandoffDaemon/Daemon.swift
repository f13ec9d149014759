import AsyncSupport
import DBus
import Epoll
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
package import HandoffRadio
package import Logging
import SystemPackage

/// The whole daemon, over any radio: every service that runs between its start and its stop.
package struct Daemon<R: Radio>: Sendable {
    private let running: RunningSettings
    private let radio: R
    private let logger: Logger

    private var options: DaemonOptions { running.settings.daemon }

    package init(_ running: RunningSettings, radio: R, logger: Logger) {
        self.running = running
        self.radio = radio
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT.
    ///
    /// - Throws: ``HandoffError`` when the state directory cannot be used, `DBusError` when the bus cannot be reached
    ///   or another handoffd owns the name on it, `RadioError` when the radio cannot become usable by waiting.
    package func run() async throws {
        try await StateDirectory.withDirectory(
            at: options.stateDirectory,
            runtimeDirectory: options.runtimeDirectory,
            report: { [logger] in logger.warning("\($0)", metadata: ["event": "state.moved"]) }
        ) { directory in
            for file in running.settings.earlierFiles {
                logger.warning(
                    """
                    \(file) is in the form of an earlier version, which the next one does not read: `handoffd --config \
                    \(file) --print-config` prints what to write into handoffd.conf beside it
                    """,
                    metadata: ["event": "settings.earlier"]
                )
            }
            if directory.wasReadableForOthers {
                logger.notice("others could read \(directory.path): it is now this user's alone")
            }
            let identity = try await Identity.loaded(from: directory)
            let engine = try Engine(identity: identity, name: options.name, in: directory, logger: logger)
            try await engine.pairings.recover()
            engine.apply(options.values)
            logger.info(
                "starting",
                metadata: [
                    "event": "daemon.started", "version": "\(HandoffVersion.current)", "device": "\(identity.id)",
                    "name": "\(options.deviceName)",
                ]
            )
            try await Reactor.withReactor { reactor in
                try await runServices(try services(for: engine, in: directory, on: reactor))
            }
        }
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
        let client = SessionClient(engine: engine, radio: radio)
        let streams = AppStreams(on: reactor)
        let apps = AppTracker(
            engine: engine,
            scan: options.apps,
            documentApps: options.documentApps,
            confirmedTypes: ConfirmedTypes(from: directory, logger: logger),
            reactor: reactor,
            inputDirectory: options.runtimeDirectory ?? directory.path,
            logger: logger
        )
        let pairing = PairingService(engine: engine, radio: radio, logger: logger)
        let defaultApps = try DefaultApps(from: directory)
        engine.desktop.setDefaultApps(defaultApps.all)
        let documents = DocumentTracker(engine: engine, logger: logger)
        let folders = try FolderList(from: directory, configured: options.folders, home: options.home)
        engine.desktop.setFolders(folders.all)
        engine.nearby.setKnownTypes(KnownTypesService.read(from: directory, logger: logger))
        let rules = try RulesObject(engine: engine, in: directory)
        let sites = SiteService(
            engine: engine,
            fetcher: SiteFetcher(reactor: reactor),
            cache: options.siteCache,
            logger: logger
        )
        sites.restore()
        apps.read()
        let reloader = SettingsReloader(running, engine: engine, folders: folders, logger: logger)
        return [
            try SignalService.ending(on: reactor),
            try SignalService.reloading(reloader, on: reactor),
            HostNameService(reloader, on: reactor, logger: logger),
            LoginSessionMonitor(engine: engine, bus: .system, logger: logger),
            RadioService(engine: engine, radio: radio, logger: logger),
            AlarmService(engine: engine, reactor: reactor),
            apps,
            sites,
            ListeningService(engine: engine, radio: radio, apps: streams, reactor: reactor, logger: logger),
            ScanningService(engine: engine, radio: radio, logger: logger),
            client,
            CircleUpdateService(client: client, logger: logger),
            CopyCheckService(client: client, logger: logger),
            TakeReportService(client: client, logger: logger),
            LastSeenService(engine: engine),
            KeyForwardingService(engine: engine),
            StateDirectoryMonitor(engine: engine, directory: directory, logger: logger),
            KnownTypesService(engine: engine, directory: directory, logger: logger),
            documents,
            AdvertisingService(engine: engine, radio: radio, logger: logger),
            pairing,
            PairingReconciliationService(client: client, logger: logger),
            BusService(
                engine: engine,
                address: options.bus,
                fetcher: ActivityFetcher(client: client),
                appTracker: apps,
                journal: ContinuationJournal(in: directory, logger: logger),
                defaultApps: defaultApps,
                documents: documents,
                documentsObject: DocumentsObject(
                    engine: engine,
                    list: folders,
                    apps: options.apps.directories
                ),
                streams: StreamOpener(client: client, apps: streams, reactor: reactor, logger: logger),
                pairing: pairing,
                rules: rules,
                settings: reloader,
                logger: logger
            ),
        ]
    }
}
