import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Apps that the daemon starts are services of their own", .endsWithin(minutes: 15, instances: 5))
struct ServiceStories {
    /// How the user's systemd takes the request to start an app.
    enum Systemd: CaseIterable, Sendable {
        case starts, refuses, isAbsent
    }

    @Test(
        "An app gets the activity, its words, the token and the session's variables, and nothing of the daemon's unit",
        arguments: Systemd.allCases
    )
    func started(_ systemd: Systemd) async throws {
        try await Self.run(systemd, "cat > input; env > environment; printf '%s' \"$1\" > word") {
            world,
            laptop,
            desktop,
            units in
            try await laptop.publishing("org.example.edit", ["--user-info", #"{"line": 12}"#]) { _ in
                let entry = try await desktop.watchingOnce()
                let result = try await desktop.connected {
                    try await $0.continueActivity(entry, ContinuationOptions(activationToken: "token-7"))
                }
                #expect(result.outcome == "app" && result.application == "org.example.Editor")
                try await Self.check(systemd, units, desktop)
                // A program that runs for two seconds counts, whether it has ended or not.
                if systemd != .starts { try await desktop.log.event("app.ended") }
                let environment = try world.lines(of: "environment")
                #expect(environment.contains("XDG_ACTIVATION_TOKEN=token-7"))
                #expect(environment.contains("SESSION_VARIABLE=kept"))
                for name in Self.ofUnit.keys {
                    #expect(!environment.contains { $0.hasPrefix(name + "=") }, "\(name)")
                }
                #expect(try JSON(try world.text(of: "input"))["userInfo"]["line"].number == 12)
                #expect(try world.text(of: "word") == "$HOME ${PATH} 100%", "no word is expanded")
            }
        }
    }

    @Test("The exit status of an app that is a service counts, as that of a child does", arguments: Systemd.allCases)
    func failed(_ systemd: Systemd) async throws {
        try await Self.run(systemd, "exit 3") { _, laptop, desktop, _ in
            try await laptop.publishing("org.example.edit") { _ in
                let entry = try await desktop.watchingOnce()
                try await desktop.connected { user in
                    let outcome = await Result { try await user.continueActivity(entry) }
                    #expect(outcome.errorName == "AppFailed")
                    #expect(outcome.errorMessage.contains("ended with the status 3"), "\(outcome.errorMessage)")
                }
            }
        }
    }

    /// What systemd tells a service about itself.
    private static let ofUnit = [
        "INVOCATION_ID": "0123", "NOTIFY_SOCKET": "/nowhere", "LISTEN_FDS": "1", "LISTEN_PID": "1",
        "JOURNAL_STREAM": "8:1", "WATCHDOG_USEC": "1", "MAINPID": "1", "MANAGERPID": "1", "SYSTEMD_EXEC_PID": "1",
        "RUNTIME_DIRECTORY": "/nowhere", "DBUS_STARTER_ADDRESS": "unix:path=/nowhere",
    ]

    private static func check(_ systemd: Systemd, _ units: FakeSystemd, _ desktop: Device) async throws {
        switch systemd {
        case .isAbsent: return
        case .refuses: try await desktop.log.event("app.unitRefused")
        case .starts:
            let unit = try await units.next()
            #expect(unit.name.hasPrefix("app-handoffd-org.example.Editor@") && unit.name.hasSuffix(".service"))
            #expect(unit.properties["Slice"] == .string("app.slice"))
            #expect(unit.properties["CollectMode"] == .string("inactive-or-failed"))
            #expect(await units.nextUnreferenced() == unit.name)
        }
    }

    /// Runs `story` with a desktop whose editor is a shell script, and whose daemon has the variables of a unit.
    private static func run(
        _ systemd: Systemd,
        _ script: String,
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device, FakeSystemd) async throws -> Void
    ) async throws {
        try await World.run { world in
            let program = "#!/bin/sh\ncd '\(world.directory.path())'\n\(script)\n"
            try await world.writeProgram(program, to: "bin/org.example.editor")
            try world.writeApp("org.example.Editor", #"X-Handoff-Exec=org.example.editor "\\$HOME \\${PATH} 100%%""#)
            let units = FakeSystemd(in: world.directory, refuses: systemd == .refuses)
            let own = world.appVariables.merging(ofUnit) { _, new in new }
            let variables = own.merging(["SESSION_VARIABLE": "kept"]) { _, new in new }
            try await world.withDevice("laptop") { laptop in
                try await withPrivateBus { bus in
                    try await world.withDaemon("desktop", on: bus, variables: variables) { desktop in
                        try await laptop.trustEachOther(desktop)
                        guard systemd != .isAbsent else { return try await story(world, laptop, desktop, units) }
                        try await units.whileOnBus(on: bus) { try await story(world, laptop, desktop, units) }
                    }
                }
            }
        }
    }
}

extension World {
    fileprivate func text(of file: String) throws -> String {
        try String(contentsOf: directory.appending(path: file), encoding: .utf8)
    }

    fileprivate func lines(of file: String) throws -> [String] {
        try text(of: file).split(separator: "\n").map(String.init)
    }
}
