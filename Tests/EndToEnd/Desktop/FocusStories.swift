import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import TestRuns
import Testing

@Suite("The app with the focus decides which activity is current", .endsWithin(minutes: 15, instances: 4))
struct FocusStories {
    /// A display with a window manager, and the device that it belongs to.
    private struct Screen: Sendable {
        let laptop: Device
        let environment: [String: String]
        let server: ChildProcess
        let reports: FocusReports

        /// Runs `body` while handoff-desktop runs there, with other variables of its environment.
        func withDesktop(
            _ variables: [String: String] = [:],
            _ body: @escaping @Sendable (ChildProcess) async throws -> Void
        ) async throws {
            let variables = environment.merging(variables) { $1 }
            try await laptop.bus.withDesktop(in: laptop.world, variables) { process in
                try await laptop.bus.waitForOwner(of: HandoffName.desktop)
                try await body(process)
            }
        }

        /// Runs `body` with a terminal that has the focus, in which a program publishes an activity.
        func withTerminal(_ type: String, _ body: @escaping @Sendable () async throws -> Void) async throws {
            let publish = [Programs.handoffctl, "--bus", laptop.bus.address.description, "publish", "--type", type]
            try await withProgram("/usr/bin/xterm", ["-T", type, "-e"] + publish, environment: environment) { _ in
                try await activate(type)
                try await body()
            }
        }

        /// The same, but it publishes only when `body` calls its argument, which returns when it has.
        func withLaterTerminal(
            _ type: String,
            _ body: @escaping @Sendable (@Sendable () async throws -> Void) async throws -> Void
        ) async throws {
            let begin = laptop.world.directory.appending(path: "begin")
            mkfifo(begin.path(), 0o600)
            // To the standard output of the terminal, which is its parent.
            let script = "read line < \(begin.path()); exec \"$@\" > /proc/$PPID/fd/1"
            let publish = [Programs.handoffctl, "--bus", laptop.bus.address.description, "publish", "--type", type]
            let arguments = ["-T", type, "-e", "/bin/sh", "-c", script, "sh"] + publish
            try await withProgram("/usr/bin/xterm", arguments, environment: environment) { terminal in
                try await activate(type)
                try await body {
                    try Data("\n".utf8).write(to: begin)
                    #expect(await terminal.stdout.firstLine() != nil)
                }
            }
        }

        /// Gives the focus to the window with that title, once the window manager shows it.
        func activate(_ title: String) async throws {
            let window = ["search", "--sync", "--onlyvisible", "--name", "^\(title)$"]
            try await awaiting("the window \(title)") { _ = try await tool(window + ["windowactivate", "--sync"]) }
            #expect(try await tool(["getactivewindow", "getwindowname"]) == title + "\n")
        }

        /// The process that has a window with that title.
        private func process(of title: String) async throws -> Int32 {
            let number = try await tool(["search", "--name", "^\(title)$", "getwindowpid"])
            return try #require(Int32(number.dropLast()))
        }

        private func tool(_ arguments: [String]) async throws -> String {
            let result = try await HandoffTestSupport.run("/usr/bin/xdotool", arguments, environment: environment)
            try Task.checkCancellation()
            // A window that disappears while it is looked at, such as the frame of one that was closed, ends the program.
            if result.stderr.contains("BadWindow") { return try await tool(arguments) }
            guard result.status == 0 else { throw MissingProgram(description: "xdotool failed: \(result.stderr)") }
            return result.stdout
        }

        /// Runs `body` while another app has the focus, which publishes nothing.
        ///
        /// - Parameters:
        ///   - titles: windows that have the focus before, which the daemon then knows.
        ///   - current: the type of what is current then; nil for nothing.
        func withOtherApp(
            after titles: [String] = [],
            current: String? = nil,
            _ body: @escaping @Sendable () async throws -> Void = {}
        ) async throws {
            let arguments = ["-T", "other", "-e", "sleep", "600"]
            try await withProgram("/usr/bin/xterm", arguments, environment: environment) { other in
                // A window gets the focus when it is shown, so this one is shown before others have it.
                try await activate("other")
                for title in titles {
                    try await activate(title)
                    try await reports.until(process(of: title))
                }
                if !titles.isEmpty {
                    try await activate("other")
                    try await reports.until(other.processID)
                    try await until(current)
                }
                try await body()
            }
        }

        /// Runs `body` while a window of that type has the focus, whose process owns the bus name.
        func withWindow(
            _ type: String,
            _ name: BusName? = nil,
            _ body: @escaping @Sendable () async throws -> Void
        ) async throws {
            let names = name.map { [laptop.bus.address.description, $0.description] } ?? []
            let script = Repository.file("Tests/Scripts/show-window.py").path()
            let arguments = [script, "shown", "_NET_WM_WINDOW_TYPE_\(type)"] + names
            try await withProgram("/usr/bin/python3", arguments, environment: environment) { _ in
                try await activate("shown")
                try await body()
            }
        }

        /// Expects that nothing is known of the focus: what asks later is current, and then what was before.
        ///
        /// Were another window known to have the focus, nothing would be current at the end.
        func expectStays(_ type: String) async throws {
            try await laptop.publishing("org.example.script") { _ in try await until("org.example.script") }
            try await until(type)
        }

        /// Waits until an activity of that type is current; nil for none.
        func until(_ type: String?) async throws { try await laptop.untilCurrent(type) }
    }

    /// Runs `story` with a device that has a display with a window manager.
    ///
    /// - Parameter cookies: those in the authority file, of which the server accepts the last one; none if it needs none.
    private static func run(
        cookies: [UInt8] = [],
        _ story: @escaping @Sendable (Screen) async throws -> Void
    ) async throws {
        try await World.run { world in
            let (accepted, known) = (
                world.directory.appending(path: "server"), world.directory.appending(path: "xauth")
            )
            try Data(cookies.suffix(1).flatMap { entry($0, isValid: true) }).write(to: accepted)
            let entries = cookies.dropLast().flatMap { entry($0, isValid: false) }
            try Data(entries + cookies.suffix(1).flatMap { entry($0, isValid: true) }).write(to: known)
            try await world.withDevice("laptop") { laptop in
                let arguments = cookies.isEmpty ? [] : ["-auth", accepted.path()]
                try await withVirtualDisplay(arguments) { display, server in
                    // The tests may run in a session of Wayland.
                    let own = ["WAYLAND_DISPLAY": "", "XDG_SESSION_TYPE": "x11", "XAUTHORITY": known.path()]
                    let environment = world.environment.merging(display) { $1 }.merging(own) { $1 }
                    try await FocusReports.follow(on: laptop.bus) { reports in
                        try await withWindowManager(environment) {
                            let screen = Screen(
                                laptop: laptop,
                                environment: environment,
                                server: server,
                                reports: reports
                            )
                            try await story(screen)
                        }
                    }
                }
            }
        }
    }

    /// An entry of an authority file for each display: of any computer, or else of this one under an earlier name.
    private static func entry(_ cookie: UInt8, isValid: Bool) -> [UInt8] {
        func field(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }
        let address = isValid ? [0xFF, 0xFF] + field([]) : [1, 0] + field(Array("earlier".utf8))
        let method = field(Array("MIT-MAGIC-COOKIE-1".utf8))
        return address + field([]) + method + field(Array(repeating: cookie, count: 16))
    }

    @Test("Of two programs in terminals, that in the window with the focus is current; none while another app has it")
    func windows() async throws {
        try await Self.run { screen in
            try await screen.withDesktop { _ in
                try await screen.withTerminal("org.example.one") {
                    try await screen.until("org.example.one")
                    try await screen.withTerminal("org.example.two") {
                        try await screen.until("org.example.two")
                        try await screen.withOtherApp(after: ["org.example.one", "org.example.two"]) {
                            let status = try await screen.laptop.run("status")
                            #expect(status.stdout.contains("other-focus: Another app has the focus, so"))
                            try await screen.activate("org.example.one")
                            try await screen.until("org.example.one")
                            try await screen.activate("org.example.two")
                            try await screen.until("org.example.two")
                        }
                    }
                    try await screen.until("org.example.one")
                }
            }
        }
    }

    @Test("A program that publishes when its window has lost the focus is not taken for one without a window")
    func later() async throws {
        try await Self.run { screen in
            try await screen.withDesktop { _ in
                try await screen.withTerminal("org.example.one") {
                    try await screen.withOtherApp(after: ["org.example.one"])
                    try await screen.until("org.example.one")
                    try await screen.withLaterTerminal("org.example.two") { publish in
                        // Only now does the daemon know that this window had the focus.
                        try await screen.until(nil)
                        try await screen.activate("org.example.one")
                        try await publish()
                        try await screen.until("org.example.one")
                    }
                }
            }
        }
    }

    @Test("A program without a window is offered as before, and so is every one once handoff-desktop has gone")
    func unknown() async throws {
        try await Self.run { screen in
            try await screen.laptop.publishing("org.example.script") { _ in
                try await screen.withTerminal("org.example.one") {
                    try await screen.until("org.example.one")
                    try await screen.withDesktop { desktop in
                        try await screen.withOtherApp(after: ["org.example.one"], current: "org.example.script") {
                            kill(desktop.processID, SIGTERM)
                            try await screen.until("org.example.one")
                        }
                    }
                }
            }
        }
    }

    @Test("In a session of Wayland, and without a display, the app that asked last is current")
    func elsewhere() async throws {
        try await Self.run { screen in
            let environments = [
                ["WAYLAND_DISPLAY": "wayland-0"], ["XDG_SESSION_TYPE": "wayland"], ["DISPLAY": ""],
                ["DISPLAY": ":4711"],
            ]
            for variables in environments {
                try await screen.withDesktop(variables) { _ in
                    try await screen.withTerminal("org.example.one") {
                        try await screen.until("org.example.one")
                        try await screen.activate("org.example.one")
                        try await screen.expectStays("org.example.one")
                        try await screen.withOtherApp { try await screen.expectStays("org.example.one") }
                    }
                }
            }
        }
    }

    @Test("Neither the background of the desktop nor Handoff's own window takes the focus away from an app")
    func noApp() async throws {
        try await Self.run { screen in
            try await screen.withDesktop { _ in
                try await screen.withTerminal("org.example.one") {
                    try await screen.withOtherApp(after: ["org.example.one"])
                    try await screen.activate("org.example.one")
                    try await screen.until("org.example.one")
                    try await screen.withWindow("DESKTOP") { try await screen.expectStays("org.example.one") }
                    try await screen.activate("org.example.one")
                    let own: BusName = "org.handoffd.Window"
                    try await screen.withWindow("NORMAL", own) { try await screen.expectStays("org.example.one") }
                    try await screen.withWindow("NORMAL") { try await screen.until(nil) }
                }
            }
        }
    }

    @Test("A program that outlives its terminal is offered as one without a window")
    func closedTerminal() async throws {
        try await Self.run { screen in
            let bus = screen.laptop.bus.address.description
            let publish = "setsid '\(Programs.handoffctl)' --bus '\(bus)' publish --type org.example.script"
            let command = "\(publish) < /dev/null > /dev/null 2>&1 & exec sleep 600"
            let terminal = ["-T", "terminal", "-e", "/bin/sh", "-c", command]
            try await screen.withDesktop { _ in
                try await withProgram("/usr/bin/xterm", terminal, environment: screen.environment) { _ in
                    try await screen.activate("terminal")
                    try await screen.until("org.example.script")
                    try await screen.withOtherApp(after: ["terminal"])
                }
                try await screen.withOtherApp { try await screen.until("org.example.script") }
            }
        }
    }

    @Test("A cookie of an earlier server, of before the computer was renamed, is not the last one that is tried")
    func cookies() async throws {
        try await Self.run(cookies: [1, 2, 3]) { screen in
            try await screen.withDesktop { _ in
                try await screen.withTerminal("org.example.one") {
                    try await screen.until("org.example.one")
                    try await screen.withOtherApp(after: ["org.example.one"])
                }
            }
        }
    }

    @Test("handoff-desktop ends with an error once the display has gone that it has followed")
    func goneDisplay() async throws {
        try await Self.run { screen in
            try await screen.withDesktop { desktop in
                try await screen.withTerminal("org.example.one") {
                    try await screen.until("org.example.one")
                    try await screen.withOtherApp(after: ["org.example.one"]) {
                        kill(screen.server.processID, SIGTERM)
                        #expect(await desktop.exitStatus() == 1)
                        #expect(await desktop.stderr.text().contains("handoff-desktop has ended: "))
                    }
                }
            }
        }
    }
}
