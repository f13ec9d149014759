import DBus
@testable import HandoffDaemon
import HandoffRadio
import Logging
import SystemPackage
import TestLimits
import Testing

@Suite("Settings come from the command line, the file and the environment", .endsWithin(minutes: 10))
struct SettingsTests {
    private static let home = ["HOME": "/nowhere/home"]

    private func settings(_ change: (inout Settings.CommandLine) -> Void = { _ in }) throws -> Settings {
        var line = Settings.CommandLine()
        change(&line)
        return try Settings(line, environment: Self.home, hostName: "laptop.example.org")
    }

    @Test("The defaults are Bluetooth, the session bus and the host's name")
    func defaults() throws {
        let settings = try settings()
        #expect(settings.radio == .bluez(adapter: nil))
        #expect(settings.daemon.bus == .session)
        #expect(settings.daemon.deviceName == "laptop.example.org")
        #expect(settings.daemon.stateDirectory == "/nowhere/home/.local/state/handoff")
        #expect(settings.logLevel == .info)
    }

    @Test("The command line can contain all settings")
    func commandLine() throws {
        let settings = try settings {
            $0.radio = "simulated:/tmp/air"
            $0.bus = "unix:path=/tmp/bus"
            $0.stateDirectory = "/tmp/state"
            $0.name = " My desk "
            $0.logLevel = "trace"
        }
        #expect(settings.radio == .simulated(directory: "/tmp/air"))
        #expect(settings.daemon.bus == .address("unix:path=/tmp/bus"))
        #expect(settings.daemon.stateDirectory == "/tmp/state")
        #expect(settings.daemon.deviceName == "My desk")
        #expect(settings.logLevel == .trace)
    }

    @Test("Channels use L2CAP, GATT, or whichever is available")
    func transport() throws {
        #expect(try settings().transport == .automatic)
        #expect(try settings { $0.transport = "gatt" }.transport == .gatt)
        #expect(try settings { $0.transport = "l2cap" }.transport == .l2cap)
    }

    @Test("The name of an adapter is hci and a number", arguments: ["hci0", "hci12"])
    func adapter(_ name: String) throws {
        #expect(try settings { $0.adapter = name }.radio == .bluez(adapter: name))
    }

    struct Mistake: CustomTestStringConvertible {
        let testDescription: String
        let names: String
        let change: @Sendable (inout Settings.CommandLine) -> Void

        init(
            _ names: String,
            _ testDescription: String,
            _ change: @escaping @Sendable (inout Settings.CommandLine) -> Void
        ) {
            self.names = names
            self.testDescription = testDescription
            self.change = change
        }
    }

    @Test(
        "An impossible value is refused, and the message names its option",
        arguments: [
            Mistake("--radio", "an unknown radio") { $0.radio = "wifi" },
            Mistake("--radio", "an air without a directory") { $0.radio = "simulated:" },
            Mistake("--radio", "no radio") { $0.radio = "" },
            Mistake("--adapter", "an adapter of no such name") { $0.adapter = "wlan0" },
            Mistake("--adapter", "an adapter without a number") { $0.adapter = "hci" },
            Mistake("--adapter", "an adapter with a sign") { $0.adapter = "hci-1" },
            Mistake("--adapter", "another adapter with a sign") { $0.adapter = "hci+1" },
            Mistake("--transport", "a transport of no such name") { $0.transport = "bredr" },
            Mistake("--transport", "a transport in the simulated air") {
                $0.radio = "simulated:/air"
                $0.transport = "gatt"
            },
            Mistake("--adapter", "an adapter in the simulated air") {
                $0.radio = "simulated:/a"
                $0.adapter = "hci0"
            },
            Mistake("--log-level", "an unknown level") { $0.logLevel = "loud" },
            Mistake("--name", "no name") { $0.name = "  " },
            Mistake("--name", "a long name") { $0.name = String(repeating: "n", count: 65) },
            Mistake("--name", "a name that moves the cursor") { $0.name = "a\u{1B}[2J" },
            Mistake("--bus", "no bus") { $0.bus = "" },
        ]
    )
    func mistakes(_ mistake: Mistake) {
        #expect { try settings(mistake.change) } throws: { error in
            error is SettingsError && "\(error)".contains(mistake.names)
        }
    }

    @Test(
        "An impossible value in the file is refused, and the message names the file's key, not an option",
        arguments: [
            "radio": "wifi", "adapter": "wlan0", "transport": "bredr", "logLevel": "loud", "name": "", "bus": "",
        ]
    )
    func mistakesInFile(_ key: String, _ value: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending("handoffd.conf")
            try file.write("[handoffd]\n\(key) = \(value)\n")
            #expect {
                try settings { $0.configuration = file.string }
            } throws: { error in
                "\(error)".hasPrefix("\(key) in the configuration file") && !"\(error)".contains("--")
            }
        }
    }

    @Test(
        "A slip in the file is reported with its line",
        arguments: [
            ("[handoffd]\nname\n", "line 2: a setting is written key = value."),
            ("[handoffd]\n = a\n", "line 2: a setting is written key = value."),
            ("# mine\nname = a\n", "line 2: name: it stands before the first section, such as [handoffd]."),
            ("[handoffd\nname = a\n", "line 1: a section is written [name]."),
            ("[]\n", "line 1: a section is written [name]."),
            ("[handofd]\nname = a\n", "line 2: there is no section [handofd]; the sections are [handoffd], [folders]."),
            ("[handoffd]\nname = a\n\nname = b\n", "line 4: name: it is set in line 2 already."),
        ]
    )
    func slips(_ text: String, _ message: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending("handoffd.conf")
            try file.write(text)
            #expect {
                try settings { $0.configuration = file.string }
            } throws: { "\($0)".hasSuffix(message) }
        }
    }

    @Test("A file that cannot be read is reported with the reason of the system")
    func unreadable() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appending("nope.conf").string
            #expect {
                try settings { $0.configuration = path }
            } throws: { "\($0)" == "The configuration file \(path) cannot be read: No such file or directory." }
        }
    }

    @Test("A host name that no device can have is replaced by a valid one")
    func hostName() throws {
        let settings = try Settings(Settings.CommandLine(), environment: Self.home, hostName: "\u{7}")
        #expect(settings.daemon.deviceName == "Linux")
    }

    @Test("The file gives defaults, and the command line overrides them")
    func file() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending("handoffd.conf")
            try file.write(
                "[handoffd]\r\n# comments\n; are welcome\n radio=simulated:/air\nname = File \nlogLevel = debug"
            )
            let fromFile = try settings { $0.configuration = file.string }
            #expect(fromFile.radio == .simulated(directory: "/air"))
            #expect(fromFile.daemon.deviceName == "File")
            #expect(fromFile.logLevel == .debug)
            let mixed = try settings {
                $0.configuration = file.string
                $0.name = "Line"
                $0.radio = "bluez"
            }
            #expect(mixed.daemon.deviceName == "Line")
            #expect(mixed.radio == .bluez(adapter: nil))
            #expect(mixed.logLevel == .debug)
        }
    }

    @Test("An adapter in the file does not prevent the use of the simulated air")
    func adapterInFile() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending("handoffd.conf")
            try file.write("[handoffd]\nadapter = hci1\n")
            let usual = try settings { $0.configuration = file.string }
            #expect(usual.radio == .bluez(adapter: "hci1"))
            let simulated = try settings {
                $0.configuration = file.string
                $0.radio = "simulated:/air"
            }
            #expect(simulated.radio == .simulated(directory: "/air"))
        }
    }

    @Test("The user's own file is read when no other is named")
    func usersOwnFile() async throws {
        try await withTemporaryDirectory { directory in
            try directory.appending("handoff").makeDirectory()
            try directory.appending("handoff/handoffd.conf").write("[handoffd]\nname = Own\n")
            let environment = ["HOME": "/nowhere", "XDG_CONFIG_HOME": directory.string]
            let settings = try Settings(Settings.CommandLine(), environment: environment, hostName: "h")
            #expect(settings.daemon.deviceName == "Own")
        }
    }

    @Test(
        "A file that is wrong is refused, and the message names it and the position",
        arguments: [
            (text: "[handoffd]\nnmae = x", word: "nmae"), ("[handoffd]\nnotifies = maybe", "yes or no"),
            ("[handoffd]\nradio = wifi", "wifi"), ("\u{0}", "handoffd.conf"), ("{", "handoffd.conf"),
            (#"{"nmae": "x"}"#, "nmae"), (#"{"name": 7}"#, "name"), (#"{"folders": 7}"#, "folders"),
        ]
    )
    func wrongFile(_ text: String, _ word: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending("handoffd.conf")
            try file.write(text)
            #expect { try settings { $0.configuration = file.string } } throws: { error in
                error is SettingsError && "\(error)".contains(word)
            }
        }
    }

    @Test("A file that was named and does not exist is an error, and an empty one says nothing")
    func missingFile() async throws {
        #expect { try settings { $0.configuration = "/nowhere/handoffd.conf" } } throws: { error in
            error is SettingsError && "\(error)".contains("/nowhere/handoffd.conf")
        }
        try await withTemporaryDirectory { directory in
            let file = directory.appending("handoffd.conf")
            try file.write("")
            #expect(try settings { $0.configuration = file.string }.daemon.deviceName == "laptop.example.org")
        }
    }

    @Test("A file of an earlier version is read where there is no other, is named, and can be converted")
    func earlierFile() async throws {
        try await withTemporaryDirectory { directory in
            try directory.appending("handoff").makeDirectory()
            let earlier = directory.appending("handoff/handoffd.json")
            try earlier.write("// mine\n{ name: 'Own', notifies: false, bus: null, folders: { docs: '/docs' }, }")
            let environment = ["HOME": "/nowhere", "XDG_CONFIG_HOME": directory.string]
            let settings = try Settings(Settings.CommandLine(), environment: environment, hostName: "h")
            #expect(settings.daemon.deviceName == "Own")
            #expect(!settings.daemon.values.notifies)
            #expect(settings.earlierFiles == [earlier.string])
            let text = try RunningSettings.fileText(Settings.CommandLine(), environment: environment)
            #expect(text == "[handoffd]\nname = Own\nnotifies = no\n\n[folders]\ndocs = /docs\n")
            try directory.appending("handoff/handoffd.conf").write(text)
            let converted = try Settings(Settings.CommandLine(), environment: environment, hostName: "h")
            #expect(converted.daemon.folders == settings.daemon.folders)
            #expect(converted.earlierFiles.isEmpty)
        }
    }
}
