import ArgumentParser
import DBus

/// The exit statuses of `handoffctl`, as its help and Docs/handoffctl.md list them.
enum ExitStatus: Int32 {
    /// The daemon or the other device refused or failed.
    case failed = 1
    /// The daemon cannot be reached.
    case noDaemon = 3
    /// The named activity, device, app, folder or document was not found.
    case notFound = 4
    /// A pairing was confirmed here; whether the other device has confirmed it is unknown.
    case unconfirmed = 5
    /// The command line is invalid, as sysexits(3) has it; also when only the daemon could notice that.
    case usage = 64
    /// SIGINT (Ctrl-C) ended the command before its result was complete: as a shell shows a death by that signal.
    case interrupted = 130
    /// SIGTERM ended the command before its result was complete.
    case terminated = 143

    /// The exit status for an error of the bus.
    init(_ error: DBusError) {
        switch error.code {
        case .connectFailed, .invalidAddress, .disconnected, .noReply: self = .noDaemon
        case .remote where DaemonAbsence.isIndicated(by: error): self = .noDaemon
        case .remote where Self.missing.contains(error.name?.description ?? ""): self = .notFound
        case .remote where Self.invalid.contains(error.name?.description ?? ""): self = .usage
        default: self = .failed
        }
    }

    /// The errors about what was given on the command line.
    private static let invalid: Set<String> = [
        "org.handoffd.Error.InvalidActivityType", "org.handoffd.Error.InvalidTitle",
        "org.handoffd.Error.InvalidWebpageURL", "org.handoffd.Error.InvalidUserInfo",
        "org.handoffd.Error.InvalidArgument", "org.handoffd.Error.InvalidCard", "org.handoffd.Error.OwnCard",
        "org.handoffd.Error.PayloadTooLarge",
    ]

    private static let missing: Set<String> = [
        "org.handoffd.Error.NoSuchActivity", "org.handoffd.Error.NoSuchApp", "org.handoffd.Error.UnknownDevice",
        "org.handoffd.Error.NoSuchFolder", "org.handoffd.Error.DocumentMissing", "org.handoffd.Error.NoSuchRule",
        "org.freedesktop.DBus.Error.UnknownObject",
    ]
}

/// A failure of a command, with the exit status of the process.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String
    /// The D-Bus name of the error, for programs.
    var name: String?
}
