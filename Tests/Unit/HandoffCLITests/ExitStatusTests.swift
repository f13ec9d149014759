import ArgumentParser
import DBus
import TestLimits
import Testing

@testable import HandoffCLI

/// Swift Testing has an ExitStatus too.
typealias Status = HandoffCLI.ExitStatus

@Suite("Exit statuses say what kind of failure it was", .endsWithin(minutes: 10))
struct ExitStatusTests {
    @Test("no bus is no daemon", arguments: [DBusError.Code.connectFailed, .invalidAddress, .disconnected])
    func noBus(_ code: DBusError.Code) {
        #expect(Status(DBusError(code, "?")) == .noDaemon)
    }

    @Test(
        "the names of errors decide",
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
            ("org.handoffd.Error.PeerRefused", .failed),
            ("org.handoffd.Error.NotTrusted", .failed),
            ("org.freedesktop.DBus.Error.AccessDenied", .failed),
        ]
    )
    func names(_ name: String, _ status: Status) throws {
        #expect(Status(DBusError(.remote, "?", name: try ErrorName(name))) == status)
    }

    @Test("anything else is a failure", arguments: [DBusError.Code.timedOut, .noReply, .unexpectedReply, .limit])
    func others(_ code: DBusError.Code) {
        #expect(Status(DBusError(code, "?")) == .failed)
    }
}

@Suite("The command line is read as it is documented", .endsWithin(minutes: 10))
struct CommandLineTests {
    @Test(
        "options of all commands can stand before the command and behind it",
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

    @Test("where nothing is said, it is the session bus and text")
    func defaults() throws {
        let command = try #require(try HandoffControl.parseAsRoot(["status"]) as? StatusCommand)
        #expect(command.options.bus == "session")
        #expect(!command.options.json)
    }
}
