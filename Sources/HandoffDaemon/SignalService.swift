import AsyncSupport
import Epoll
import Glibc
import SystemPackage

/// Ends with a signal, and with it the daemon; or reads the configuration again at each SIGHUP.
///
/// There is one of each kind, so that a configuration that cannot be read for long does not hold up the end.
struct SignalService: Service {
    static let endsProgram = true

    private let signals: SignalStream
    /// Handles a signal; returns whether the daemon goes on.
    private let goesOn: @Sendable () async -> Bool

    /// Ends with SIGTERM or SIGINT; handles them from now on.
    ///
    /// - Throws: `Errno`.
    static func ending(on reactor: Reactor) throws(Errno) -> SignalService {
        SignalService(signals: try SignalStream([SIGTERM, SIGINT], on: reactor), goesOn: { false })
    }

    /// Reads the configuration again at each SIGHUP; handles it from now on.
    ///
    /// The signal also tells that a terminal is gone: a daemon whose log went there ends, as it would without this
    /// service.
    ///
    /// - Throws: `Errno`.
    static func reloading(_ reloader: SettingsReloader, on reactor: Reactor) throws(Errno) -> SignalService {
        let wasOnTerminal = isatty(STDERR_FILENO) == 1
        return SignalService(signals: try SignalStream([SIGHUP], on: reactor)) {
            if wasOnTerminal, isatty(STDERR_FILENO) != 1 { return false }
            // The log has the reason of a failure.
            _ = try? await reloader.reload()
            return true
        }
    }

    func run() async throws {
        do {
            repeat { _ = try await signals.next() } while await goesOn()
        } catch Errno.canceled {
            throw CancellationError()
        }
    }
}
