import ArgumentParser
import DBus
import TestLimits
import Testing

@testable import HandoffCLI

/// Swift Testing has a type ExitStatus as well.
typealias Status = HandoffCLI.ExitStatus

@Suite("Exit statuses distinguish the kinds of failure", .endsWithin(minutes: 10))
struct ExitStatusTests {
    @Test(
        "A missing bus counts as a missing daemon",
        arguments: [DBusError.Code.connectFailed, .invalidAddress, .disconnected]
    )
    func noBus(_ code: DBusError.Code) {
        #expect(Status(DBusError(code, "?")) == .noDaemon)
    }

    @Test(
        "The name of the error determines the exit status",
        arguments: [
            ("org.freedesktop.DBus.Error.ServiceUnknown", Status.noDaemon),
            ("org.freedesktop.DBus.Error.NameHasNoOwner", .noDaemon),
            ("org.freedesktop.DBus.Error.Spawn.ChildExited", .noDaemon),
            ("org.freedesktop.DBus.Error.Spawn.ServiceNotFound", .noDaemon),
            ("org.freedesktop.DBus.Error.Spawn.PermissionsInvalid", .noDaemon),
            ("org.freedesktop.DBus.Error.Spawn.Failed", .noDaemon),
            ("org.handoffd.Error.NoSuchActivity", .notFound),
            ("org.handoffd.Error.UnknownDevice", .notFound),
            ("org.freedesktop.DBus.Error.UnknownObject", .notFound),
            ("org.freedesktop.DBus.Error.TimedOut", .noDaemon),
            ("org.freedesktop.systemd1.LoadFailed", .noDaemon),
            ("org.handoffd.Error.InvalidTitle", .usage),
            ("org.handoffd.Error.InvalidArgument", .usage),
            ("org.handoffd.Error.PayloadTooLarge", .usage),
            ("org.handoffd.Error.InvalidDocument", .failed),
            ("org.handoffd.Error.TimedOut", .failed),
            ("org.handoffd.Error.PeerRefused", .failed),
            ("org.handoffd.Error.NotTrusted", .failed),
            ("org.freedesktop.DBus.Error.AccessDenied", .failed),
        ]
    )
    func names(_ name: String, _ status: Status) throws {
        #expect(Status(DBusError(.remote, "?", name: try ErrorName(name))) == status)
    }

    @Test(
        "Why there is no daemon follows from the bus's error",
        arguments: [
            ("org.freedesktop.DBus.Error.ServiceUnknown", DaemonAbsence.notRunning),
            ("org.freedesktop.DBus.Error.Spawn.ServiceNotFound", .notRunning),
            ("org.freedesktop.DBus.Error.Spawn.ChildExited", .ended),
            ("org.freedesktop.DBus.Error.Spawn.ChildSignaled", .ended),
            ("org.freedesktop.DBus.Error.TimedOut", .slow),
            ("org.freedesktop.DBus.Error.Spawn.ExecFailed", .notStartable),
            ("org.freedesktop.DBus.Error.Spawn.FileInvalid", .notStartable),
            ("org.freedesktop.systemd1.LoadFailed", .notStartable),
        ]
    )
    func absence(_ name: String, _ absence: DaemonAbsence) throws {
        let error = DBusError(.remote, "It exited with status 64", name: try ErrorName(name))
        #expect(DaemonAbsence(error) == absence)
        let sentence = absence.sentence(about: error)
        #expect(sentence.contains("journalctl --user -u handoffd") == (absence != .notRunning))
        #expect(sentence.contains("systemctl --user start handoffd") == (absence == .notRunning))
        #expect(sentence.contains("status 64") == [.ended, .notStartable].contains(absence))
    }

    @Test(
        "Any other error is a general failure",
        arguments: [DBusError.Code.timedOut, .unexpectedReply, .limit]
    )
    func others(_ code: DBusError.Code) {
        #expect(Status(DBusError(code, "?")) == .failed)
    }

    @Test("A daemon that leaves in the middle of a call cannot be reached")
    func leaving() {
        #expect(Status(DBusError(.noReply, "Message recipient disconnected")) == .noDaemon)
    }
}

@Suite("The command line is parsed as it is documented", .endsWithin(minutes: 10))
struct CommandLineTests {
    @Test(
        "The options of all commands can be given before and after the command",
        arguments: [
            ["--bus", "unix:path=/b", "--json", "nearby"], ["nearby", "--bus", "unix:path=/b", "--json"],
            ["--json", "nearby", "--bus", "unix:path=/b"], ["--bus", "unix:path=/b", "nearby", "--json"],
            ["--bus", "system", "nearby", "--json", "--bus", "unix:path=/b"],
        ]
    )
    func globalOptions(_ arguments: [String]) throws {
        let command = try #require(try HandoffControl.parseAsRoot(arguments) as? NearbyCommand)
        let options = command.options
        #expect(options.bus == "unix:path=/b")
        #expect(options.json)
    }

    @Test("The defaults are the session bus and text output")
    func defaults() throws {
        let command = try #require(try HandoffControl.parseAsRoot(["status"]) as? StatusCommand)
        #expect(command.options.bus == "session")
        #expect(!command.options.json)
    }
}
