import DBus
import HandoffCore
import HandoffRadio
package import Logging

/// Explains in a sentence why a daemon could not start or continue, and what to do about it.
package enum StartFailure {
    /// Logs an error of `Daemon.run()` as a sentence.
    package static func report(_ error: any Error, to logger: Logger) {
        log(sentence(for: error), to: logger)
    }

    /// Logs a sentence that says why the daemon cannot start, before there is a logger.
    package static func report(_ sentence: String, isForeground: Bool) {
        log(sentence, to: LogOutput.logger(from: LogThreshold(.critical), isForeground: isForeground))
    }

    private static func log(_ sentence: String, to logger: Logger) {
        logger.critical("\(sentence)", metadata: ["event": "daemon.failed"])
    }

    static func sentence(for error: any Error) -> String {
        switch error {
        case let error as HandoffError: error.message
        case let error as RadioError: error.message
        case let error as DBusError: sentence(for: error)
        default: "\(error)"
        }
    }

    private static func sentence(for error: DBusError) -> String {
        switch error.code {
        case .nameTaken:
            "Another handoffd is already running on this bus (\(error.message)). Stop it, or pass another --bus."
        case .connectFailed, .invalidAddress:
            "Cannot connect to the bus (\(error.message)). In a session without one, use `dbus-run-session`, "
                + "or name one with --bus."
        default:
            error.message
        }
    }
}
