import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The app with the focus decides which activity is current", .endsWithin(minutes: 15, instances: 4))
struct FocusStories {
    /// A display with a window manager, and the device that it belongs to.
    private struct Screen: Sendable {
        let laptop: Device
        let environment: [String: String]

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

        /// Gives the focus to the window with that title, once the window manager runs and shows it.
        func activate(_ title: String) async throws {
            try await laptop.poll {
                _ = try await tool("search", "--name", "^\(title)$", "windowactivate")
                return try await tool("getactivewindow", "getwindowname") == title + "\n"
            }
        }

        private func tool(_ arguments: String...) async throws -> String {
            try await HandoffTestSupport.run("/usr/bin/xdotool", arguments, environment: environment).stdout
        }

        /// Runs `body` while another app has the focus, which publishes nothing.
        func withOtherApp(_ body: @escaping @Sendable () async throws -> Void) async throws {
            let arguments = ["-T", "other", "-e", "sleep", "600"]
            try await withProgram("/usr/bin/xterm", arguments, environment: environment) { _ in
                try await activate("other")
                try await body()
            }
        }

        /// Waits until an activity of that type is current; nil for none.
        func until(_ type: String?) async throws {
            try await laptop.poll {
                let status = try await laptop.json("status")
                return status["currentActivityType"].isNull ? type == nil : status["currentActivityType"].string == type
            }
        }
    }

    /// Runs `story` with a device that has a display with a window manager.
    private static func run(_ story: @escaping @Sendable (Screen) async throws -> Void) async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await withVirtualDisplay { display in
                    let environment = world.environment.merging(display) { $1 }
                    try await withProgram("/usr/bin/openbox", ["--sm-disable"], environment: environment) { _ in
                        try await story(Screen(laptop: laptop, environment: environment))
                    }
                }
            }
        }
    }

    @Test("Of two programs in terminals, that in the window with the focus is current; none while another app has it")
    func windows() async throws {
        try await Self.run { screen in
            try await screen.withDesktop { _ in
                try await screen.withTerminal("org.example.one") {
                    try await screen.until("org.example.one")
                    try await screen.withTerminal("org.example.two") {
                        try await screen.until("org.example.two")
                        try await screen.activate("org.example.one")
                        try await screen.until("org.example.one")
                        try await screen.withOtherApp {
                            try await screen.until(nil)
                            let status = try await screen.laptop.run("status")
                            #expect(status.stdout.contains("other-focus: Another app has the focus, so"))
                            try await screen.activate("org.example.two")
                            try await screen.until("org.example.two")
                        }
                    }
                    try await screen.until("org.example.one")
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
                        try await screen.activate("org.example.one")
                        try await screen.withOtherApp {
                            try await screen.until("org.example.script")
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
            for variables in [["WAYLAND_DISPLAY": "wayland-0"], ["DISPLAY": ""], ["DISPLAY": ":4711"]] {
                try await screen.withDesktop(variables) { _ in
                    try await screen.withTerminal("org.example.one") {
                        try await screen.until("org.example.one")
                        try await screen.activate("org.example.one")
                        try await screen.laptop.publishing("org.example.script") { _ in
                            try await screen.until("org.example.script")
                        }
                        try await screen.until("org.example.one")
                    }
                }
            }
        }
    }
}
