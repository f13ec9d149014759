import AsyncSupport
import DBus
import Epoll
import HandoffApps
import HandoffCore
import HandoffModel
import Logging
import SystemPackage

/// Finds the installed apps, follows changes to them, and reaps the programs that were launched as apps.
struct AppTracker: Service {
    let engine: Engine
    let scan: AppScan
    let documentApps: DocumentAppScan
    let confirmedTypes: ConfirmedTypes
    let reactor: Reactor
    /// An absolute path, of a directory that is the user's alone, for the standard inputs of apps.
    let inputDirectory: FilePath
    let logger: Logger

    /// A program that runs: what it is, and what whoever has started it knows of it.
    private struct Process {
        enum Kind: CustomStringConvertible {
            /// A child of the daemon.
            case child(ChildProgram)
            case service(TransientService, of: TransientServices)

            var description: String {
                switch self {
                case .child(let child): "\(child.id)"
                case .service(let service, _): service.name
                }
            }
        }

        let kind: Kind
        let program = RunningProgram()
    }

    private let processes: AsyncStream<Process>
    private let newProcesses: AsyncStream<Process>.Continuation

    /// The debounce time after a change: an installer writes several files.
    private static let debounceTime = Duration.milliseconds(200)
    /// The polling interval where the kernel does not report changes: apps are installed rarely.
    private static let rescanInterval = Duration.seconds(60)

    init(
        engine: Engine,
        scan: AppScan,
        documentApps: DocumentAppScan,
        confirmedTypes: ConfirmedTypes,
        reactor: Reactor,
        inputDirectory: FilePath,
        logger: Logger
    ) {
        self.engine = engine
        self.scan = scan
        self.documentApps = documentApps
        self.confirmedTypes = confirmedTypes
        self.reactor = reactor
        self.inputDirectory = inputDirectory
        self.logger = logger
        (processes, newProcesses) = AsyncStream.makeStream()
    }

    /// Reads the installed apps, so that they are known to whoever calls the daemon first.
    func read() {
        engine.desktop.setApps(installedApps())
    }

    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try await follow() }
            group.addTask { try await followDefaults() }
            for await process in processes {
                group.addTask { await reap(process, on: reactor) }
            }
        }
    }

    /// Starts a program: as a service of the user's systemd, or as a child of the daemon where there is none on the bus
    /// or it refuses.
    ///
    /// A child inherits the sandbox of the daemon's unit.
    ///
    /// - Throws: `Errno` as posix_spawnp(3); `DBusError` when the bus or systemd does not answer.
    func launch(_ program: LaunchedProgram, over connection: Connection) async throws -> RunningProgram {
        let process = Process(kind: try await start(program, over: connection))
        newProcesses.yield(process)
        return process.program
    }

    private func start(_ program: LaunchedProgram, over connection: Connection) async throws -> Process.Kind {
        let executable = try program.executable()
        let services = TransientServices(connection: connection)
        do {
            if let service = try await services.start(program, executable) {
                logger.debug(
                    "systemd has started an app",
                    metadata: ["event": "app.started", "unit": "\(service.name)"]
                )
                return .service(service, of: services)
            }
        } catch let error as DBusError where error.code == .remote {
            logger.notice(
                "systemd has refused to start an app, so it becomes a child of handoffd: \(error.message)",
                metadata: ["event": "app.unitRefused", "app": "\(program.name)"]
            )
        }
        return .child(try program.start())
    }

    private func follow() async throws {
        var shown = AppRegistry()
        var obstacle: DirectoryWatch.Obstacle?
        while true {
            // Created before the files are read, so that no change in between is missed.
            let watch = DirectoryWatch(scan.watched.map { FilePath($0) })
            logger.log(watch.obstacle, after: obstacle, of: "installed apps", every: Self.rescanInterval)
            obstacle = watch.obstacle
            shown = show(installedApps(), after: shown)
            try await watch.changed(orAfter: Self.rescanInterval)
            try await sleep(for: Self.debounceTime)
        }
    }

    /// Follows which browser is the default one.
    ///
    /// The directories of the lists have other files that change all the time, so that only a changed list counts.
    private func followDefaults() async throws {
        var known = documentApps.configuredLists
        while true {
            let watch = DirectoryWatch(documentApps.listDirectories.map { FilePath($0) })
            let lists = documentApps.configuredLists
            if lists != known { engine.desktop.setBrowser(browserID) }
            known = lists
            try await watch.changed(orAfter: Self.rescanInterval)
            try await sleep(for: Self.debounceTime)
        }
    }

    private func installedApps() -> AppRegistry {
        var registry = scan.registry()
        registry.browserID = browserID
        return registry
    }

    private var browserID: String? { documentApps.app(for: [DocumentAppScan.webpageType])?.id }

    private func show(_ registry: AppRegistry, after shown: AppRegistry) -> AppRegistry {
        engine.desktop.setApps(registry)
        for fault in registry.faults where !shown.faults.contains(fault) {
            logger.warning(
                "the desktop file of an app has an error: \(fault.message)",
                metadata: ["event": "app.invalid", "file": "\(fault.file)"]
            )
        }
        if registry != shown {
            logger.info(
                "found apps that continue activities",
                metadata: ["event": "apps.scanned", "count": "\(registry.apps.count)"]
            )
        }
        return registry
    }

    private func reap(_ process: Process, on reactor: Reactor) async {
        let stopping = process.program.stopping
        do {
            let status =
                switch process.kind {
                case .child(let child): try await child.waitForExit(on: reactor, unless: stopping)
                case .service(let service, let services):
                    try await services.waitForExit(of: service, unless: stopping)
                }
            process.program.end.fulfil(status)
            logger.debug(
                "a launched app has exited",
                metadata: ["event": "app.ended", "process": "\(process.kind)", "status": "\(status)"]
            )
        } catch {
            // The daemon is stopping, and the process that adopts the app reaps it; or the bus has gone, and systemd does.
            return
        }
    }
}
