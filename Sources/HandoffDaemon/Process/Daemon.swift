import AsyncSupport
import DBus
import Epoll
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffFolders
import HandoffModel
package import HandoffRadio
package import Logging
import ServiceLifecycle
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
            if directory.wasReadableForOthers {
                logger.notice("others could read \(directory.path): it is now this user's alone")
            }
            try adoptEarlierState(to: directory)
            let identity = try await Identity.loaded(from: directory)
            let engine = try Engine(identity: identity, name: options.name, in: directory, logger: logger)
            try await engine.pairings.recover()
            engine.activities.cover(options.coversAdvertisement)
            engine.activities.setStaysWhenAway(options.staysWhenAway)
            engine.desktop.setNotifies(options.notifies)
            engine.sessions.setUsesLocalNetwork(options.usesLocalNetwork)
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

    private func adoptEarlierState(to directory: StateDirectory) throws(HandoffError) {
        guard let earlier = options.earlierStateDirectory else { return }
        switch try EarlierStateDirectory.adopt(from: earlier, to: directory) {
        case .absent: break
        case .moved:
            logger.notice("moved this device's keys and trusted devices from \(earlier) to \(directory.path)")
        case .left:
            logger.warning(
                "\(earlier) has the keys of another identity of this computer, which handoffd does not use: remove them"
            )
        }
    }

    private func group(of services: [any Service]) -> ServiceGroup {
        ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { service in
                    guard service is SignalService else { return .init(service: service) }
                    return .init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)
                },
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
        let client = SessionClient(engine: engine, radio: radio)
        let apps = AppTracker(
            engine: engine,
            scan: options.apps,
            documentApps: options.documentApps,
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
            LoginSessionMonitor(engine: engine, bus: .system, logger: logger),
            RadioService(engine: engine, radio: radio, logger: logger),
            AlarmService(engine: engine, reactor: reactor),
            apps,
            sites,
            ListeningService(engine: engine, radio: radio, reactor: reactor, logger: logger),
            ScanningService(engine: engine, radio: radio, logger: logger),
            CodeReleaseService(plans: engine.scanning),
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
                streams: StreamOpener(client: client, reactor: reactor, logger: logger),
                pairing: pairing,
                rules: rules,
                settings: reloader,
                version: HandoffVersion.current,
                logger: logger
            ),
        ]
    }
}
