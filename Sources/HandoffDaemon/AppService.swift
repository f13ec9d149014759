import Epoll
import HandoffApps
import Logging
import ServiceLifecycle
import SystemPackage

/// Knows which apps there are, follows their coming and going, and reaps the programs that were started as apps.
struct AppService: Service {
    let engine: Engine
    let scan: AppScan
    let reactor: Reactor
    let logger: Logger

    private let processes: AsyncStream<Int32>
    private let newProcesses: AsyncStream<Int32>.Continuation

    /// How long a change is waited out: what installs an app writes several files.
    private static let settling = Duration.milliseconds(200)

    init(engine: Engine, scan: AppScan, reactor: Reactor, logger: Logger) {
        self.engine = engine
        self.scan = scan
        self.reactor = reactor
        self.logger = logger
        (processes, newProcesses) = AsyncStream.makeStream()
    }

    func run() async throws {
        try await endingQuietly {
            try await cancelWhenGracefulShutdown {
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask { try await follow(on: reactor) }
                    for await process in processes {
                        group.addTask { await reap(process, on: reactor) }
                    }
                }
            }
        }
    }

    /// Starts a program that nobody waits for.
    ///
    /// - Throws: the error of posix_spawn(3).
    func launch(_ program: LaunchedProgram) throws(Errno) {
        newProcesses.yield(try program.start())
    }

    private func follow(on reactor: Reactor) async throws {
        var retry = Backoff()
        var shown = AppRegistry()
        while true {
            do throws(Errno) {
                // Before the files are read, so that no change falls in between.
                let watch = try AppWatch(scan.watched, on: reactor)
                shown = show(scan.registry(), after: shown)
                try await watch.changed()
                retry.reset()
            } catch .canceled {
                throw CancellationError()
            } catch {
                _ = show(scan.registry(), after: shown)
                logger.warning("changes of apps are not noticed at once: \(error)")
                try await retry.wait()
            }
            try await Task.sleep(for: Self.settling)
        }
    }

    private func show(_ registry: AppRegistry, after shown: AppRegistry) -> AppRegistry {
        engine.setApps(registry)
        for fault in registry.faults where !shown.faults.contains(fault) {
            logger.warning("an app cannot take part: \(fault.message)", metadata: ["file": "\(fault.file)"])
        }
        if registry != shown {
            logger.info("apps that continue activities", metadata: ["count": "\(registry.apps.count)"])
        }
        return registry
    }

    private func reap(_ process: Int32, on reactor: Reactor) async {
        guard let status = try? await LaunchedProgram.end(of: process, on: reactor) else { return }
        logger.debug("an app that was started has ended", metadata: ["process": "\(process)", "status": "\(status)"])
    }
}
