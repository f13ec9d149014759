import HandoffDaemon
import HandoffFolders
import Logging
import SystemPackage
import TestLimits
import Testing

@Suite("The user's configuration file lies above those of the system", .endsWithin(minutes: 10))
struct ConfigurationFilesTests {
    /// The settings of a user whose directories for configuration are in `directory`: `own`, `near` and `far`.
    private static func settings(
        in directory: FilePath,
        _ change: (inout Settings.CommandLine) -> Void = { _ in }
    ) throws -> Settings {
        var line = Settings.CommandLine()
        change(&line)
        let environment = [
            "HOME": "/nowhere", "XDG_CONFIG_HOME": "\(directory)/own",
            "XDG_CONFIG_DIRS": "\(directory)/near:relative::\(directory)/far",
        ]
        return try Settings(line, environment: environment, hostName: "host")
    }

    /// Writes the file of one of the directories.
    private static func write(_ text: String, to name: String, in directory: FilePath) throws {
        try directory.appending(name).makeDirectory()
        try directory.appending("\(name)/handoff").makeDirectory()
        try directory.appending("\(name)/handoff/handoffd.json").write(text)
    }

    @Test("Each setting is taken from the first file that has it, and folders from all of them")
    func layers() async throws {
        try await withTemporaryDirectory { directory in
            let far = "{name: 'far', logLevel: 'debug', notifies: false, folders: {a: '/far', b: '/far'}}"
            try Self.write(far, to: "far", in: directory)
            try Self.write("{name: 'near', adapter: 'hci1', notifies: null}", to: "near", in: directory)
            try Self.write("{name: 'own', folders: {a: '/own'}}", to: "own", in: directory)
            let settings = try Self.settings(in: directory)
            #expect(settings.daemon.deviceName == "own")
            #expect(settings.radio == .bluez(adapter: "hci1"))
            #expect(settings.logLevel == .debug)
            #expect(!settings.daemon.notifies)
            #expect(settings.daemon.folders.all.map(\.path) == ["/own", "/far"])
        }
    }

    @Test("A system without files has the defaults, and a file that is named on the command line is the only one")
    func named() async throws {
        try await withTemporaryDirectory { directory in
            #expect(try Self.settings(in: directory).daemon.deviceName == "host")
            try Self.write("{name: 'far', notifies: false}", to: "far", in: directory)
            let file = directory.appending("named.json")
            try file.write("{name: 'named'}")
            let settings = try Self.settings(in: directory) { $0.configuration = file.string }
            #expect(settings.daemon.deviceName == "named")
            #expect(settings.daemon.notifies)
        }
    }

    @Test("A value that cannot be used is named with the file and the line where it is")
    func value() async throws {
        try await withTemporaryDirectory { directory in
            try Self.write("{\n  // loud\n  logLevel: 'loud',\n}", to: "far", in: directory)
            try Self.write("{logLevel: null}", to: "own", in: directory)
            #expect {
                try Self.settings(in: directory)
            } throws: {
                "\($0)".hasPrefix(
                    "logLevel in the configuration file \(directory)/far/handoff/handoffd.json, line 3 is "
                )
            }
        }
    }

    @Test(
        "A key that cannot be used is named with its line",
        arguments: [
            ("{\n  name: 'a',\n  nmae: 'b',\n}", "line 3: nmae: there is no such setting; the settings are "),
            ("{ folders: {\n name: '/a' },\n \"nmae\": 1 }", "line 3: nmae: there is no such setting"),
            ("{\n  'notifies': 'no'\n}", "line 2: notifies: it has to be true or false."),
            ("{\n  'name': 5\n}", "line 2: name: it has to be a text."),
            ("{\n  'folders': []\n}", "line 2: folders: it has to be an object."),
            ("{\n\n  folders: { a: 1 }\n}", "line 3: folders.a: "),
            ("{ name: 'a',\n name: 'b' }", "line 2: name: it is set in line 1 already."),
        ]
    )
    func keys(_ text: String, _ message: String) async throws {
        try await withTemporaryDirectory { directory in
            try Self.write(text, to: "own", in: directory)
            let start = "The configuration file \(directory)/own/handoff/handoffd.json is invalid: "
            #expect { try Self.settings(in: directory) } throws: { "\($0)".hasPrefix(start + message) }
        }
    }
}
