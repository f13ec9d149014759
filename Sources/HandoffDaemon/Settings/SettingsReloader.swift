import AsyncSupport
import HandoffBus
import HandoffCore
import Logging
import Synchronization

/// Reads the configuration again while the daemon runs, and applies what can change.
///
/// What is current, nearby or trusted stays as it is.
final class SettingsReloader: SettingsHandler {
    private struct State {
        /// The settings that hold, as far as they can change.
        var current: Settings
        var needRestart: [String] = []
    }

    private let running: RunningSettings
    private let engine: Engine
    private let folders: FolderList
    private let logger: Logger
    private let state: Mutex<State>
    /// Held during a reload.
    private let turn = AsyncMutex()

    init(_ running: RunningSettings, engine: Engine, folders: FolderList, logger: Logger) {
        self.running = running
        self.engine = engine
        self.folders = folders
        self.logger = logger
        state = Mutex(State(current: running.settings))
    }

    /// The settings that hold after a restart only, as they were when the configuration was read last.
    var needRestart: [String] { state.withLock(\.needRestart) }

    /// Reads the configuration, and applies what has changed; the log says what.
    ///
    /// - Throws: ``HandoffError`` with `invalidSettings` for a configuration that cannot be used, and with
    ///   `stateUnwritable` when a new name cannot be kept; then nothing has changed.
    func reload() async throws -> ReloadResult {
        try await turn.withLock {
            do {
                return try await apply(try read())
            } catch let error as HandoffError {
                logger.error(
                    "the settings stay as they were: \(error.message)",
                    metadata: ["event": "settings.refused"]
                )
                throw error
            }
        }
    }

    /// Gives the device the name that the host has now, unless it has one of its own; reads nothing else again.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable` when the name cannot be kept; then it has not changed.
    func takeHostName() async throws {
        try await turn.withLock {
            guard let new = state.withLock(\.current).renamed(toHost: running.hostName()) else { return }
            try await engine.trust.configure(new.daemon.name)
            state.withLock { $0.current = new }
            logger.notice(
                "the host has another name, which is that of this device",
                metadata: ["event": "host.renamed", "name": "\(new.daemon.deviceName)"]
            )
        }
    }

    private func read() throws(HandoffError) -> Settings {
        do {
            return try running.readAgain()
        } catch let error as SettingsError {
            throw HandoffError(.invalidSettings, error.message)
        } catch let error as HandoffError {
            throw error
        } catch {
            throw HandoffError(.invalidSettings, "\(error)")
        }
    }

    private func apply(_ new: Settings) async throws -> ReloadResult {
        let changed = new.differences(from: state.withLock(\.current), needingRestart: false)
        // First what can fail.
        if changed.contains("name") { try await engine.trust.configure(new.daemon.name) }
        running.threshold.level = new.logLevel
        engine.apply(new.daemon.values)
        folders.setConfigured(new.daemon.folders)
        engine.desktop.setFolders(folders.all)
        let result = ReloadResult(
            applied: changed,
            needRestart: new.differences(from: running.settings, needingRestart: true)
        )
        state.withLock { $0 = State(current: new, needRestart: result.needRestart) }
        engine.change { state, _ in state.show(.settingsChanged) }
        report(result)
        return result
    }

    private func report(_ result: ReloadResult) {
        let applied = result.applied.isEmpty ? "nothing" : result.applied.joined(separator: ", ")
        let rest =
            result.needRestart.isEmpty ? "" : "; a restart is needed for \(result.needRestart.joined(separator: ", "))"
        logger.notice("read the settings again; changed: \(applied)\(rest)", metadata: ["event": "settings.reloaded"])
    }
}
