import AsyncSupport
import Glibc
import HandoffCore
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the configuration again at each SIGHUP.
///
/// The signal also tells that a terminal is gone: a daemon whose log went there ends, as it would without this service.
struct ReloadService: Service {
    let reloader: SettingsReloader
    /// Whether the log goes to a terminal.
    private let isOnTerminal = isatty(STDERR_FILENO) == 1

    init(reloader: SettingsReloader) {
        self.reloader = reloader
    }

    func run() async throws {
        try await ignoringCancellation {
            await cancelWhenGracefulShutdown {
                for await _ in await UnixSignalsSequence(trapping: .sighup) {
                    guard !isOnTerminal || isatty(STDERR_FILENO) == 1 else {
                        kill(getpid(), SIGTERM)
                        continue
                    }
                    // The log has the reason of a failure.
                    _ = try? await reloader.reload()
                }
            }
        }
    }
}
