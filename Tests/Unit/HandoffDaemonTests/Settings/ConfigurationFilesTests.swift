@testable import HandoffDaemon
import Logging
import SystemPackage
import Testing
import TestLimits

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
        try directory.appending("\(name)/handoff/handoffd.conf").write(text)
    }

    @Test("Each setting is taken from the first file that has it, and folders from all of them")
    func layers() async throws {
        try await withTemporaryDirectory { directory in
            let far = "[handoffd]\nname = far\nlogLevel = debug\nnotifies = off\n[folders]\na = /far\nb = /far\n"
            try Self.write(far, to: "far", in: directory)
            try Self.write("[handoffd]\nname = near\nadapter = hci1\n", to: "near", in: directory)
            try Self.write("[folders]\na = /own\n[handoffd]\nname = own\n", to: "own", in: directory)
            let settings = try Self.settings(in: directory)
            #expect(settings.daemon.deviceName == "own")
            #expect(settings.radio == .bluez(adapter: "hci1"))
            #expect(settings.logLevel == .debug)
            #expect(!settings.daemon.values.notifies)
            #expect(settings.daemon.folders.all.map(\.path) == ["/own", "/far"])
        }
    }

    @Test("A system without files has the defaults, and a file that is named on the command line is the only one")
    func named() async throws {
        try await withTemporaryDirectory { directory in
            #expect(try Self.settings(in: directory).daemon.deviceName == "host")
            try Self.write("[handoffd]\nname = far\nnotifies = no\n", to: "far", in: directory)
            let file = directory.appending("named.conf")
            try file.write("[handoffd]\nname = named\n")
            let settings = try Self.settings(in: directory) { $0.configuration = file.string }
            #expect(settings.daemon.deviceName == "named")
            #expect(settings.daemon.values.notifies)
        }
    }

    @Test("A value that cannot be used is named with the file and the line where it is")
    func value() async throws {
        try await withTemporaryDirectory { directory in
            try Self.write("[handoffd]\n# loud\nlogLevel = loud\n", to: "far", in: directory)
            #expect {
                try Self.settings(in: directory)
            } throws: {
                "\($0)".hasPrefix(
                    "logLevel in the configuration file \(directory)/far/handoff/handoffd.conf, line 3 is "
                )
            }
        }
    }

    @Test(
        "A key that cannot be used is named with its line",
        arguments: [
            ("[handoffd]\nname = a\nnmae = b\n", "line 3: nmae: there is no such setting; the settings are "),
            ("[folders]\nname = /a\n[handoffd]\nnmae = 1\n", "line 4: nmae: there is no such setting"),
            ("[handoffd]\nname = a\nname = b\n", "line 3: name: it is set in line 2 already."),
        ]
    )
    func keys(_ text: String, _ message: String) async throws {
        try await withTemporaryDirectory { directory in
            try Self.write(text, to: "own", in: directory)
            let start = "The configuration file \(directory)/own/handoff/handoffd.conf is invalid: "
            #expect { try Self.settings(in: directory) } throws: { "\($0)".hasPrefix(start + message) }
        }
    }
}
