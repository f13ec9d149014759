import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "On a desktop of Hyprland, the app with the focus decides which activity is current",
    .endsWithin(minutes: 10, instances: 3)
)
struct HyprlandFocusStories {
    /// An imitation of Hyprland on the display of a device.
    private struct Hyprland: Sendable {
        let laptop: Device
        private let commands: URL
        private let reports: FocusReports

        /// Runs `body` while it runs.
        static func run(
            on laptop: Device,
            _ body: @escaping @Sendable (Hyprland) async throws -> Void
        ) async throws {
            let commands = laptop.world.directory.appending(path: "commands")
            mkfifo(commands.path(), 0o600)
            try await FocusReports.follow(on: laptop.bus) { reports in
                try await CompositorImitation.run("hyprland", [commands.path()], on: laptop) { _, _ in
                    try await body(Hyprland(laptop: laptop, commands: commands, reports: reports))
                }
            }
        }

        func perform(_ command: String) throws {
            let bytes = Data((command + "\n").utf8)
            let pipe = try FileHandle(forWritingTo: commands)
            try pipe.write(contentsOf: bytes)
            try pipe.close()
        }

        /// Gives the focus to a process.
        func focus(_ process: ChildProcess) throws { try perform("focus \(process.processID)") }

        /// Waits until the daemon knows that each of these apps had the focus: while another one has it, none is current.
        func untilFollowed(_ apps: [ChildProcess], _ other: ChildProcess) async throws {
            for app in apps + [other] {
                // A handoff-desktop that connects anew meanwhile asks first, and is told this.
                try focus(app)
                try await reports.until(app.processID)
            }
            try await laptop.untilCurrent(nil)
        }
    }

    private static func withDesktop(
        _ laptop: Device,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await laptop.bus.withDesktop(in: laptop.world, Sway.environment(on: laptop)) { _ in
            try await laptop.bus.waitForOwner(of: HandoffName.desktop)
            try await body()
        }
    }

    @Test("Of two apps, that with the focus is current; none while another one has it; the last one while none has it")
    func windows() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await Hyprland.run(on: laptop) { hyprland in
                    try await laptop.publishing("org.example.one") { one in
                        try hyprland.focus(one)
                        try await Self.withDesktop(laptop) {
                            try await withProgram("/bin/sleep", ["600"]) { other in
                                try await laptop.publishing("org.example.two") { two in
                                    // It never had the focus, and has asked last.
                                    try await laptop.untilCurrent("org.example.two")
                                    try await hyprland.untilFollowed([one, two], other)
                                    try await Self.follow(hyprland, one, two)
                                }
                                try hyprland.focus(other)
                                try await laptop.untilCurrent(nil)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func follow(_ hyprland: Hyprland, _ one: ChildProcess, _ two: ChildProcess) async throws {
        let laptop = hyprland.laptop
        try hyprland.focus(two)
        try await laptop.untilCurrent("org.example.two")
        try hyprland.focus(one)
        try await laptop.untilCurrent("org.example.one")
        try hyprland.perform("none")
        // What asks later is current, and then the last one, which keeps the focus.
        try await laptop.publishing("org.example.three") { _ in
            try await laptop.untilCurrent("org.example.three")
        }
        try await laptop.untilCurrent("org.example.one")
        try hyprland.focus(two)
        try await laptop.untilCurrent("org.example.two")
    }

    @Test("Events that are none, a lost connection and a compositor that is started again are survived")
    func faults() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await Self.withDesktop(laptop) {
                    try await laptop.publishing("org.example.one") { one in
                        let long = String(repeating: "x", count: 100_000)
                        for fault in ["drop", "raw \(long)", "raw activewindowv2", "raw "] {
                            try await Hyprland.run(on: laptop) { hyprland in
                                try await withProgram("/bin/sleep", ["600"]) { other in
                                    try await hyprland.untilFollowed([one], other)
                                    try hyprland.perform(fault)
                                    // What was told before it is still known.
                                    try hyprland.focus(one)
                                    try await laptop.untilCurrent("org.example.one")
                                    try await hyprland.untilFollowed([one], other)
                                }
                            }
                            // Without it nothing is withheld.
                            try await laptop.untilCurrent("org.example.one")
                        }
                    }
                }
            }
        }
    }

    @Test(
        "Where sway's socket misbehaves, the app that asked last is current, and sway is followed once it runs",
        arguments: ["silent", "closing", "noise", "huge"]
    )
    func misbehaviour(_ kind: String) async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let environment = Sway.environment(on: laptop)
                try await laptop.bus.withDesktop(in: world, environment) { desktop in
                    try await CompositorImitation.run(kind, [], on: laptop) { imitation, output in
                        try await laptop.bus.waitForOwner(of: HandoffName.desktop)
                        try await laptop.publishing("org.example.one") { _ in
                            try await laptop.untilCurrent("org.example.one")
                            try await laptop.publishing("org.example.two") { _ in
                                try await laptop.untilCurrent("org.example.two")
                            }
                            try await laptop.untilCurrent("org.example.one")
                        }
                        if kind == "huge" {
                            try await output.line(containing: "taken")
                            let file = "/proc/\(desktop.processID)/status"
                            let status = try String(contentsOfFile: file, encoding: .utf8)
                            let peak = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
                            // A quarter of a GiB was sent.
                            #expect(try #require(Int(peak.split(whereSeparator: \.isWhitespace)[1])) < 100_000)
                        }
                    }
                    try await Sway.run(on: laptop) { sway in try await sway.untilFollowed() }
                }
            }
        }
    }
}
