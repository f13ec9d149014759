import DBus
import HandoffCore
import HandoffRadio
package import Logging

/// Why a daemon could not start or go on, in a sentence that says what to do.
package enum StartFailure {
    /// Logs an error of `Daemon.run()` in a sentence.
    package static func report(_ error: any Error, to logger: Logger) {
        logger.critical("\(sentence(for: error))")
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
            "Another handoffd stands on this bus already (\(error.message)). Stop it, or give this one another --bus."
        case .connectFailed, .invalidAddress:
            "There is no bus to stand on (\(error.message)). In a session without one, use `dbus-run-session`, "
                + "or name one with --bus."
        default:
            error.message
        }
    }
}
