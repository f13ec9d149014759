import ArgumentParser
import DBus

/// The exit statuses of `handoffctl`; its help and Docs/handoffctl.md say the same.
enum ExitStatus: Int32 {
    /// The daemon or the other device refused or failed.
    case failed = 1
    /// There is no daemon to talk to.
    case noDaemon = 3
    /// What was named is not there.
    case notFound = 4
    /// A pairing was confirmed here, and nobody knows about the other device.
    case unconfirmed = 5

    /// What an error of the bus means for the person at the terminal.
    init(_ error: DBusError) {
        switch error.code {
        case .connectFailed, .invalidAddress, .disconnected: self = .noDaemon
        case .remote where error.indicatesAbsentService: self = .noDaemon
        case .remote where Self.missing.contains(error.name?.description ?? ""): self = .notFound
        default: self = .failed
        }
    }

    private static let missing: Set<String> = [
        "org.handoffd.Error.NoSuchActivity", "org.handoffd.Error.NoSuchApp", "org.handoffd.Error.UnknownDevice",
        "org.handoffd.Error.NoSuchFolder", "org.handoffd.Error.DocumentMissing",
        "org.freedesktop.DBus.Error.UnknownObject",
    ]
}

/// A failure of a command, with the status that it ends with.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String
    /// The D-Bus name of the error, for programs.
    var name: String?
}
