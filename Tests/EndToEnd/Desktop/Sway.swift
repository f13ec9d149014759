import DBus
import Foundation
import HandoffTestSupport
import Testing

/// sway with a screen that nobody sees, beside a device.
struct Sway: Sendable {
    let device: Device
    /// The variables with which programs run in its session; they do not name its socket, which has to be found.
    let environment: [String: String]
    /// Its socket, for commands of the test.
    private let socket: String
    /// What it tells of its windows.
    private let events: Transcript
    private let reports: FocusReports

    private static let display = "wayland-1"

    /// The variables of its session, also while it does not run.
    static func environment(on device: Device) -> [String: String] {
        let session = [
            "XDG_RUNTIME_DIR": device.world.directory.path(), "XDG_SESSION_TYPE": "wayland", "WAYLAND_DISPLAY": display,
            "DISPLAY": "", "DBUS_SESSION_BUS_ADDRESS": device.bus.address.description, "GDK_BACKEND": "wayland",
            "GSK_RENDERER": "cairo", "SWAYSOCK": "",
        ]
        return device.world.environment.merging(session) { $1 }
    }

    /// Runs `body` while sway runs.
    ///
    /// - Throws: the error of `body`, or `MissingProgram`.
    static func run(on device: Device, _ body: @escaping @Sendable (Sway) async throws -> Void) async throws {
        guard FileManager.default.fileExists(atPath: "/usr/bin/sway") else {
            throw MissingProgram(description: "/usr/bin/sway is missing: apt-get install sway")
        }
        let (environment, directory) = (environment(on: device), device.world.directory)
        try device.world.write("xwayland disable\nexec echo ready\n", to: "sway.conf")
        let headless = [
            "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1", "WAYLAND_DISPLAY": "",
        ]
        let sway = ["/usr/bin/sway", "--config", directory.appending(path: "sway.conf").path()]
        // It refuses to run as root, and as a user that can become root; in such a namespace there is none.
        let namespace = ["/usr/bin/unshare", "--user", "--map-user=1000", "--map-group=1000"]
        let words = geteuid() == 0 ? namespace + sway : sway
        let variables = environment.merging(headless) { $1 }.filter { $0.key != "SWAYSOCK" }
        try await withProgram(words[0], Array(words.dropFirst()), environment: variables) { process in
            guard await process.stdout.firstLine() != nil else {
                throw MissingProgram(description: "sway did not start: \(await process.stderr.text())")
            }
            // `unshare` becomes sway.
            let user = geteuid() == 0 ? 1000 : geteuid()
            let socket = directory.appending(path: "sway-ipc.\(user).\(process.processID).sock").path()
            try await following(socket, environment) { events in
                try await FocusReports.follow(on: device.bus) { reports in
                    let (device, environment) = (device, environment)
                    try await body(
                        Sway(device: device, environment: environment, socket: socket, events: events, reports: reports)
                    )
                }
            }
        }
    }

    /// Runs `body` with what sway tells of its windows from then on, as lines of JSON (sway-ipc(7)).
    private static func following(
        _ socket: String,
        _ environment: [String: String],
        _ body: @escaping @Sendable (Transcript) async throws -> Void
    ) async throws {
        let arguments = ["--socket", socket, "--raw", "--monitor", "--type", "subscribe", #"["window", "tick"]"#]
        try await withTranscript(of: "/usr/bin/swaymsg", arguments, environment: environment) { _, events in
            // It answers a subscription with this event.
            try await events.line(containing: #""first": true"#)
            try await body(events)
        }
    }

    /// Has sway perform a command; returns whether it has.
    @discardableResult
    func command(_ text: String) async throws -> Bool {
        let arguments = ["--socket", socket, text]
        return try await HandoffTestSupport.run("/usr/bin/swaymsg", arguments, environment: environment).status == 0
    }

    /// Runs `body` with a terminal that has the focus, in which a program publishes an activity; nil for none.
    ///
    /// - Parameter name: its name (`app_id`).
    func withTerminal(
        _ name: String,
        _ type: String?,
        title: String = "shown",
        _ body: @escaping @Sendable (ChildProcess) async throws -> Void
    ) async throws {
        let publish = [Programs.handoffctl, "--bus", device.bus.address.description, "publish", "--type"]
        let program = type.map { publish + [$0] } ?? ["sleep", "600"]
        let arguments = ["--app-id=\(name)", "--title=\(title)", "--override=locked-title=yes"] + program
        try await withProgram("/usr/bin/foot", arguments, environment: environment) { process in
            try await process.whileRunning {
                try await events.first("the window of \(name)") { line -> Void? in
                    try JSON(line)["container"]["pid"].number == Double(process.processID) ? () : nil
                }
                try #require(await focus(process))
                try await body(process)
            }
        }
    }

    /// Gives the focus to the window of a process; returns whether there is one.
    @discardableResult
    func focus(_ process: ChildProcess) async throws -> Bool { try await command("[pid=\(process.processID)] focus") }

    /// Waits until the daemon knows what has the focus: an app that had it is withheld while another one has it.
    func untilFollowed() async throws {
        try await withTerminal("one", "org.example.one") { one in
            try await device.untilCurrent("org.example.one")
            try await withTerminal("other", nil) { other in
                for terminal in [one, other] {
                    try #require(await focus(terminal))
                    try await reports.until(terminal.processID)
                }
                try await device.untilCurrent(nil)
            }
            try await device.untilCurrent("org.example.one")
        }
    }
}
