import DBus

/// Why a call has found no daemon, as the bus has answered it.
enum DaemonAbsence: Hashable {
    /// Nothing owns the name, and the bus knows no way to start the daemon.
    case notRunning
    /// The daemon was started for the call, and ended before it owned the name.
    case ended
    /// The daemon was started for the call, and has not owned the name in time.
    case slow
    /// The bus knows how to start the daemon, and could not.
    case notStartable

    /// - Parameter error: an error that the bus has answered, and that means that there is no daemon (D-Bus
    ///   specification, "Message Bus Starting Services").
    init(_ error: DBusError) {
        let name = error.name?.description ?? ""
        switch name.split(separator: ".").last {
        case "ChildExited", "ChildSignaled": self = .ended
        case "TimedOut": self = .slow
        case "ServiceUnknown", "NameHasNoOwner", "ServiceNotFound": self = .notRunning
        default: self = .notStartable
        }
    }

    /// Returns what happened, and what to do, for the user.
    func sentence(about error: DBusError) -> String {
        let remedy = "`journalctl --user -u handoffd` shows why; `handoffd --foreground` in a terminal does, too."
        switch self {
        case .notRunning:
            return "handoffd is not running on this bus. Start it with `systemctl --user start handoffd`, or in a "
                + "terminal with `handoffd --foreground`."
        case .ended: return "handoffd was started, and ended at once: \(printable(error.message)). \(remedy)"
        case .slow: return "handoffd was started, and was not ready in time. \(remedy)"
        case .notStartable: return "The bus could not start handoffd: \(printable(error.message)). \(remedy)"
        }
    }

    /// Whether the daemon has left the bus in the middle of a call (dbus-daemon and dbus-broker answer NoReply then; a call
    /// that takes too long has another error here).
    static func hasEndedMeanwhile(_ error: DBusError) -> Bool { error.code == .noReply }

    /// What a person reads of a daemon that has left in the middle of a call.
    static let lostCall =
        "handoffd has stopped in the middle of this, so how it has ended is unknown: look, start handoffd "
        + "with `systemctl --user start handoffd` if it does not run, and try again."

    /// Whether an error that the bus has answered means that there is no daemon.
    static func isIndicated(by error: DBusError) -> Bool {
        let name = error.name?.description ?? ""
        // The daemon's own time-outs have another prefix. systemd starts services for the bus.
        return error.indicatesAbsentService || name == "org.freedesktop.DBus.Error.TimedOut"
            || name.hasPrefix("org.freedesktop.systemd1.")
    }
}
