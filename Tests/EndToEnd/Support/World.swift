import DBus
import Foundation
import HandoffBus
import HandoffRadioSimulated
import HandoffTestSupport
import TestRuns

/// An air with some devices, each of which is a real handoffd on its own bus.
///
/// All of it is removed after the story.
struct World: Sendable {
    /// The directory of this world, which contains every file that its devices write.
    let directory: URL

    /// The directory of the air.
    var airDirectory: String { directory.appending(path: "air").path() }

    /// Runs `story` in a new world.
    static func run(_ story: @escaping @Sendable (World) async throws -> Void) async throws {
        let directory = URL.temporaryDirectory.appending(path: "handoff-world-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(
            at: directory.appending(path: "air"),
            withIntermediateDirectories: true
        )
        try await story(World(directory: directory))
    }

    /// Changes the air between all devices, effective at once.
    func setAir(_ change: (inout Air) -> Void) throws {
        var air = Air()
        change(&air)
        try air.write(to: airDirectory)
    }

    /// Runs `story` with two devices that do not trust each other.
    static func runUnpaired(
        _ options: [String] = [],
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await run { world in
            try await world.withDevice("laptop", options) { laptop in
                try await world.withDevice("desktop", options) { desktop in try await story(world, laptop, desktop) }
            }
        }
    }

    /// Runs `story` with two devices that trust each other.
    static func runPair(
        _ options: [String] = [],
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await runUnpaired(options) { world, laptop, desktop in
            try await laptop.trustEachOther(desktop)
            try await story(world, laptop, desktop)
        }
    }

    /// Runs `story` with two devices that trust each other, and have exchanged their keys by now.
    static func runMet(
        _ options: [String] = [],
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await runPair(options) { world, laptop, desktop in
            try await laptop.meet(desktop)
            try await story(world, laptop, desktop)
        }
    }

    /// Runs `body` with a device on its own bus, once it owns its name and its radio is ready.
    func withDevice(
        _ name: String,
        _ options: [String] = [],
        _ body: @escaping @Sendable (Device) async throws -> Void
    ) async throws {
        try await withPrivateBus { bus in try await withDaemon(name, on: bus, options, body) }
    }

    /// The same with a device whose wall clock is ahead of the system's.
    func withDevice(
        _ name: String,
        clockAhead seconds: Int,
        _ body: @escaping @Sendable (Device) async throws -> Void
    ) async throws {
        let variables = ["LD_PRELOAD": Programs.shiftedClock, "SHIFTED_CLOCK_SECONDS": String(seconds)]
        try await withPrivateBus { bus in try await withDaemon(name, on: bus, variables: variables, body) }
    }

    /// The same with a device whose wall clock is set while it runs.
    func withDevice(
        _ name: String,
        clock: TestClock,
        _ body: @escaping @Sendable (Device) async throws -> Void
    ) async throws {
        let variables = ["LD_PRELOAD": Programs.shiftedClock, "SHIFTED_CLOCK_FILE": clock.path]
        try await withPrivateBus { bus in try await withDaemon(name, on: bus, variables: variables, body) }
    }

    /// Runs `body` with a device on an existing bus, once it owns its name and its radio is ready.
    ///
    /// - Parameters:
    ///   - name: the device's name.
    ///   - bus: the bus on which its daemon serves clients.
    ///   - options: additional options of its command line.
    ///   - variables: additional variables of its environment.
    ///   - refused: a system call that the kernel refuses it.
    ///   - sandbox: what else it runs in.
    ///   - body: what to do while the device runs.
    func withDaemon(
        _ name: String,
        on bus: PrivateBus,
        _ options: [String] = [],
        variables: [String: String] = [:],
        refusing refused: RefusedCall? = nil,
        in sandbox: UnitSandbox? = nil,
        _ body: @escaping @Sendable (Device) async throws -> Void
    ) async throws {
        let command = [Programs.handoffd] + daemonArguments(name, on: bus.address) + options
        let words = sandbox?.wrapping(command) ?? refused?.wrapping(command) ?? command
        let environment = environment.merging(variables) { _, new in new }
        try await takingInstances {
            let arguments = Array(words.dropFirst())
            try await withTranscript(of: words[0], arguments, environment: environment, reading: { $0.stderr }) {
                process,
                log in
                try await log.event("radio.ready")
                try await log.event("bus.ready")
                try await body(Device(name: name, world: self, bus: bus, process: process, log: log))
            }
        }
    }

    /// Runs a handoffd that is expected to end by itself.
    func runDaemon(_ name: String, on bus: BusAddress, _ options: [String] = []) async throws -> ProgramResult {
        try await takingInstances {
            try await HandoffTestSupport.run(
                Programs.handoffd,
                daemonArguments(name, on: bus) + options,
                environment: environment
            )
        }
    }

    /// Installs a daemon as a service that the bus at `address` starts when it is called.
    func installDaemonService(_ name: String, on address: BusAddress) throws {
        let words = [Programs.handoffd] + daemonArguments(name, on: address)
        let variables = environment.map { "\($0.key)='\($0.value)'" }.sorted().joined(separator: " ")
        let script = "echo $$ > '\(daemonProcess.path())'\nexec env \(variables) '\(words.joined(separator: "' '"))'\n"
        try write(script, to: "start-handoffd")
        for name in [HandoffName.bus, HandoffName.control] {
            try write(
                """
                [D-BUS Service]
                Name=\(name)
                Exec=/bin/sh \(directory.appending(path: "start-handoffd").path())
                """,
                to: "services/\(name).service"
            )
        }
    }

    /// The file with the process id of a daemon that the bus has started.
    private var daemonProcess: URL { directory.appending(path: "daemon-process") }

    /// Kills a daemon that the bus has started, which would otherwise wait for another bus.
    func endDaemon() { endProcess(daemonProcess) }

    /// Kills the process whose id is in `file`, if it has started.
    func endProcess(_ file: URL) {
        guard let text = try? String(contentsOf: file, encoding: .utf8),
            let process = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return }
        kill(process, SIGKILL)
    }

    /// An environment with an empty home, and without a bus that a program could find by itself.
    var environment: [String: String] {
        [
            "HOME": directory.path(), "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "XDG_RUNTIME_DIR": directory.path(),
            "STATE_DIRECTORY": "", "XDG_CACHE_HOME": "", "DBUS_SESSION_BUS_ADDRESS": "",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
        ]
    }

    /// The directory with a device's keys.
    func stateDirectory(of name: String) -> String { directory.appending(path: "state-\(name)").path() }

    private func daemonArguments(_ name: String, on bus: BusAddress) -> [String] {
        [
            "--foreground", "--radio", "simulated:\(airDirectory)", "--bus", bus.description, "--name", name,
            "--state-dir", stateDirectory(of: name), "--log-level", "debug",
        ]
    }
}

/// The programs under test, which are in the same directory as the test bundle.
enum Programs {
    static let handoffd = path("handoffd")
    static let handoffctl = path("handoffctl")
    static let handoffDesktop = path("handoff-desktop")
    static let monkeybrowser = path("monkeybrowser")
    static let browserHost = path("handoff-browser-host")
    /// The library that shifts the clock of a program (`Tests/Support/ShiftedClock`).
    static let shiftedClock = path("libShiftedClock.so")
    static let editor = path("editor")

    private static func path(_ name: String) -> String {
        let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let beside = executable.appending(path: name).path()
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        // Swift Testing runs the bundle with a program of the toolchain that gets the bundle's path as an argument.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
        return URL(filePath: bundle).deletingLastPathComponent().appending(path: name).path()
    }
}
