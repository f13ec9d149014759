import Epoll
import Glibc
import ServiceLifecycle

/// Ends with SIGTERM or SIGINT, and with it the daemon; reads the configuration again at each SIGHUP.
///
/// SIGHUP also tells that a terminal is gone: a daemon whose log went there ends, as it would without this service.
struct SignalService: Service {
    private let signals: SignalStream
    private let reloader: SettingsReloader
    /// Whether the log goes to a terminal.
    private let isOnTerminal = isatty(STDERR_FILENO) == 1

    /// Handles the signals from now on.
    ///
    /// - Throws: `Errno`.
    init(reloader: SettingsReloader, on reactor: Reactor) throws {
        self.reloader = reloader
        signals = try SignalStream([SIGTERM, SIGINT, SIGHUP], on: reactor)
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            // It fails when it is cancelled.
            while let signal = try? await signals.next(), signal == SIGHUP {
                if isOnTerminal, isatty(STDERR_FILENO) != 1 { return }
                // The log has the reason of a failure.
                _ = try? await reloader.reload()
            }
        }
    }
}
