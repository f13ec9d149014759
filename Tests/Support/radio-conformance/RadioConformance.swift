import DBus
import Glibc
import HandoffRadio
import HandoffRadioBlueZ
import HandoffRadioConformance
import Logging
import SystemPackage

/// Checks whether two real radios, `hci0` and `hci1` of this machine, meet the requirements of `Radio`.
///
///     radio-conformance [--transport gatt|l2cap|automatic] [WORDS]
///     radio-conformance --gatt | --restart
///
/// With words, it checks only the requirements that contain them; with an option, one of ``BlueZChecks``. It prints the
/// outcome of each, and exits with 1 if one was not met.
@main
enum RadioConformance {
    static func main() async {
        do {
            var arguments = Array(CommandLine.arguments.dropFirst())
            var transport = ChannelTransport.automatic
            if arguments.count >= 2, arguments[0] == "--transport" {
                guard let chosen = ChannelTransport(rawValue: arguments[1]) else {
                    throw CheckFailure("\(arguments[1]) is no transport")
                }
                transport = chosen
                arguments.removeFirst(2)
            }
            try await run(arguments.joined(separator: " "), transport)
        } catch {
            report("\(error)")
            exit(EXIT_FAILURE)
        }
    }

    private static func run(_ words: String, _ transport: ChannelTransport) async throws {
        switch words {
        case "--gatt":
            try await Connection.withConnection(to: .system) { try await BlueZChecks.gatt($0) }
            report("met     GATT")
        case "--restart":
            try await BlueZChecks.restart(AdapterWorld.radio("hci0", transport), report: report)
        default:
            try await checkRequirements(containing: words, over: transport)
        }
    }

    private static func checkRequirements(containing words: String, over transport: ChannelTransport) async throws {
        let chosen = RadioRequirement<AdapterWorld>.all.filter { words.isEmpty || $0.description.contains(words) }
        // Checking no requirement must not look like success.
        guard !chosen.isEmpty else { throw CheckFailure("no requirement contains \"\(words)\"") }
        let broken = try await Connection.withConnection(to: .system) { connection in
            let world = AdapterWorld(connection: connection, transport: transport)
            var broken = 0
            for requirement in chosen {
                broken += await verdict(on: requirement, in: world) ? 0 : 1
            }
            return broken
        }
        guard broken == 0 else { throw CheckFailure("\(broken) requirements were not met") }
        report("\(chosen.count) requirements met")
    }

    private static func verdict(on requirement: RadioRequirement<AdapterWorld>, in world: AdapterWorld) async -> Bool {
        let start = ContinuousClock.now
        report("begin   \(requirement)")
        do {
            try await requirement.check(in: world)
            report("met     \(requirement) (\(start.duration(to: .now)))")
            return true
        } catch {
            report("FAILED  \(requirement): \(error) (\(start.duration(to: .now)))")
            return false
        }
    }

    /// Prints a line at once, so that a reader knows which requirement takes long.
    private static func report(_ line: String) {
        _ = try? FileDescriptor.standardOutput.writeAll("\(line)\n".utf8)
    }
}

/// Two adapters of one machine.
struct AdapterWorld: RadioWorld {
    let connection: Connection
    let transport: ChannelTransport

    var hasPowerSwitch: Bool { true }

    /// Switches both adapters off and on first, so that no link and no cached device of earlier radios is left.
    func withRadios(_ body: (BlueZRadio, BlueZRadio) async throws -> Void) async throws {
        for adapter: ObjectPath in ["/org/bluez/hci0", "/org/bluez/hci1"] {
            for isOn in [false, true] { try await setPower(isOn, of: adapter) }
        }
        try await body(Self.radio("hci0", transport), Self.radio("hci1", transport))
    }

    func setPower(_ isOn: Bool, ofSecond radio: BlueZRadio) async throws {
        try await setPower(isOn, of: "/org/bluez/hci1")
    }

    private func setPower(_ isOn: Bool, of adapter: ObjectPath) async throws {
        try await connection.setProperty(
            of: "org.bluez",
            at: adapter,
            interface: "org.bluez.Adapter1",
            name: "Powered",
            to: .boolean(isOn)
        )
    }

    static func radio(_ adapter: String, _ transport: ChannelTransport) -> BlueZRadio {
        var logger = Logger(label: adapter)
        logger.logLevel = .debug
        return BlueZRadio(adapter: adapter, transport: transport, logger: logger)
    }
}
