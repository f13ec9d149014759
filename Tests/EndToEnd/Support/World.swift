import DBus
import Foundation
import HandoffBus
import HandoffRadioSimulated
import HandoffTestSupport
import TestRuns

/// One air with some devices, each a real handoffd on a bus of its own; all of it is gone when the story ends.
struct World: Sendable {
    /// The directory of this world; everything that its devices write is in it.
    let directory: URL

    /// Where the stations meet.
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

    /// Makes this the air between all devices, at once.
    func setAir(_ change: (inout Air) -> Void) throws {
        var air = Air()
        change(&air)
        try air.write(to: airDirectory)
    }

    /// Runs `story` with two devices that trust each other.
    static func runPair(
        _ options: [String] = [],
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await run { world in
            try await world.withDevice("laptop", options) { laptop in
                try await world.withDevice("desktop", options) { desktop in
                    try await laptop.trust(desktop)
                    try await desktop.trust(laptop)
                    try await story(world, laptop, desktop)
                }
            }
        }
    }

    /// Runs `body` with a device on a bus of its own, from when it is on the bus and its radio is ready.
    func withDevice(
        _ name: String,
        _ options: [String] = [],
        _ body: @escaping @Sendable (Device) async throws -> Void
    ) async throws {
        try await withPrivateBus { bus in try await withDaemon(name, on: bus, options, body) }
    }

    /// The same on a bus that is there.
    ///
    /// - Parameters:
    ///   - name: what it is called.
    ///   - bus: where programs meet it.
    ///   - options: more for its command line.
    ///   - surroundings: more for its environment.
    ///   - refused: a system call that the kernel refuses it.
    ///   - body: what happens meanwhile.
    func withDaemon(
        _ name: String,
        on bus: PrivateBus,
        _ options: [String] = [],
        surroundings: [String: String] = [:],
        refusing refused: RefusedCall? = nil,
        _ body: @escaping @Sendable (Device) async throws -> Void
    ) async throws {
        let command = [Programs.handoffd] + daemonArguments(name, on: bus.address) + options
        let words = refused?.wrapping(command) ?? command
        let environment = environment.merging(surroundings) { _, new in new }
        try await takingInstances {
            try await withProgram(words[0], Array(words.dropFirst()), environment: environment) { process in
                let log = Transcript()
                let device = Device(name: name, world: self, bus: bus, process: process, log: log)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await log.collect(process.stderr) }
                    group.addTask {
                        defer { process.kill() }
                        try await log.event("radio.ready")
                        try await log.event("bus.ready")
                        try await body(device)
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    /// Runs handoffd to its end, which it is expected to come to by itself.
    func runDaemon(_ name: String, on bus: BusAddress, _ options: [String] = []) async throws -> ProgramResult {
        try await takingInstances {
            try await HandoffTestSupport.run(
                Programs.handoffd,
                daemonArguments(name, on: bus) + options,
                environment: environment
            )
        }
    }

    /// Has the bus at `address` start a daemon when it is called, as an installed one is.
    func installDaemonService(_ name: String, on address: BusAddress) throws {
        let words = [Programs.handoffd] + daemonArguments(name, on: address)
        let variables = environment.map { "\($0.key)='\($0.value)'" }.sorted().joined(separator: " ")
        let script = "echo $$ > '\(daemonProcess.path())'\nexec env \(variables) '\(words.joined(separator: "' '"))'\n"
        try write(script, to: "start-handoffd")
        try write(
            """
            [D-BUS Service]
            Name=\(HandoffName.bus)
            Exec=/bin/sh \(directory.appending(path: "start-handoffd").path())
            """,
            to: "services/\(HandoffName.bus).service"
        )
    }

    /// Where a daemon that was started by the bus has left its process id.
    private var daemonProcess: URL { directory.appending(path: "daemon-process") }

    /// Ends a daemon that the bus has started: it would wait for another bus.
    func endDaemon() { endProcess(daemonProcess) }

    /// Kills the process whose id is in `file`, if it has begun.
    func endProcess(_ file: URL) {
        guard let text = try? String(contentsOf: file, encoding: .utf8),
            let process = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return }
        kill(process, SIGKILL)
    }

    /// A home without configuration, and no bus that a program could find by itself.
    var environment: [String: String] {
        [
            "HOME": directory.path(), "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "XDG_RUNTIME_DIR": directory.path(),
            "STATE_DIRECTORY": "", "DBUS_SESSION_BUS_ADDRESS": "", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
        ]
    }

    /// Where a device keeps its keys.
    func stateDirectory(of name: String) -> String { directory.appending(path: "state-\(name)").path() }

    private func daemonArguments(_ name: String, on bus: BusAddress) -> [String] {
        [
            "--foreground", "--radio", "simulated:\(airDirectory)", "--bus", bus.description, "--name", name,
            "--state-dir", stateDirectory(of: name), "--log-level", "debug",
        ]
    }
}

/// The programs under test, beside the test bundle.
enum Programs {
    static let handoffd = path("handoffd")
    static let handoffctl = path("handoffctl")
    static let monkeybrowser = path("monkeybrowser")

    private static func path(_ name: String) -> String {
        let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let beside = executable.appending(path: name).path()
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        // Swift Testing runs the bundle through a helper of the tool chain, which is told where the bundle is.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
        return URL(filePath: bundle).deletingLastPathComponent().appending(path: name).path()
    }
}
