import AsyncSupport
import BlueZ
import DBus
import Glibc
import HandoffBus

/// Reads what `handoffctl doctor` judges; starts nothing, and leaves everything on this computer as it was.
struct DoctorExamination: Sendable {
    /// How long any program on a bus may take to answer.
    private static let patience = Duration.seconds(5)

    /// The daemon's bus, as on the command line.
    let bus: String
    var files = SystemFiles()

    /// Returns everything that could be read; what could not is absent.
    func facts() async -> DoctorFacts {
        var facts = DoctorFacts(
            toolVersion: HandoffVersion.current,
            daemon: .absent(isStartable: false),
            bluetooth: .absent
        )
        await readSessionBus(&facts)
        if case .running(let answers) = facts.daemon, case let status = answers.status, status.radioState == "ready" {
            facts.adapterName = status.radioMessage
        }
        await readSystemBus(&facts)
        let adapter = facts.adapter?.name
        facts.stateDirectory = files.stateDirectory
        facts.radioSwitches = files.bluetoothSwitches
        facts.isSuspendedWhenIdle = adapter.flatMap { files.isSuspendedWhenIdle($0) }
        facts.attChannels = files.attChannels
        facts.wireless = facts.wireless.map { network in
            var network = network
            network.sharesRadio = adapter.map { files.sharesRadio(adapter: $0, interface: network.interface) } ?? false
            return network
        }
        facts.inotifyInstances = files.inotifyInstances
        facts.time = try? .now
        facts.defaultBrowser = files.defaultBrowser
        facts.opensWebpages = files.hasProgram("xdg-open")
        facts.browsers = await BrowserExamination(bus: bus, files: files).facts().filter(\.isInstalled)
        return facts
    }

    // MARK: The session bus

    private func readSessionBus(_ facts: inout DoctorFacts) async {
        do {
            let bus = BusAddress(argument: bus)
            let (daemon, unit, names, buttons) = try await Connection.withConnection(to: bus) { connection in
                let names = try await Self.names(on: connection)
                let daemon = await Self.daemon(on: connection, names)
                return (daemon, await Self.unit(on: connection), names, await Self.notifiesWithButtons(on: connection))
            }
            facts.daemon = daemon
            facts.unit = unit
            facts.notifiesWithButtons = buttons
            facts.hasNotificationServer = names.contains("org.freedesktop.Notifications")
            facts.hasPortal = names.contains("org.freedesktop.portal.Desktop")
        } catch {
            facts.daemon = .noBus("\(error)")
        }
    }

    /// Asks the daemon if it runs: a call would start it, and hide that it did not.
    private static func daemon(on connection: Connection, _ names: Set<String>) async -> DoctorFacts.Daemon {
        let absent = DoctorFacts.Daemon.absent(isStartable: names.contains(HandoffName.control.description))
        do {
            guard try await connection.owner(of: HandoffName.control) != nil else { return absent }
            return .running(try await answers(of: HandoffClient(connection: connection)))
        } catch let error as DBusError where DaemonAbsence.isIndicated(by: error) {
            return absent
        } catch {
            return .failing("\((error as? DBusError)?.message ?? "\(error)")")
        }
    }

    private static func answers(of client: HandoffClient) async throws -> DoctorFacts.Answers {
        let apps = try await client.apps()
        return DoctorFacts.Answers(
            status: try await client.status(),
            devices: try await client.objects().devices,
            unconfirmed: try await client.unconfirmedDevices(),
            folderProblems: try await client.folders().filter { !$0.problem.isEmpty }
                .map { "The folder \($0.id): \($0.problem)" },
            rules: try await client.rules(),
            appCount: apps.apps.count,
            faultyFiles: apps.faults
        )
    }

    /// Returns the state of the unit; nil when there is no user systemd on this bus.
    private static func unit(on connection: Connection) async -> DoctorFacts.Unit? {
        func call(_ member: MemberName) async throws -> Value? {
            let call = MethodCall(
                destination: "org.freedesktop.systemd1",
                path: "/org/freedesktop/systemd1",
                interface: "org.freedesktop.systemd1.Manager",
                member: member,
                arguments: [.string("handoffd.service")],
                startsService: false
            )
            return try await connection.call(call, timeout: patience).first
        }
        guard let path = try? await call("LoadUnit")?.objectPath else { return nil }
        func value(_ name: String) async -> Value? {
            try? await property(name, of: "org.freedesktop.systemd1.Unit", at: path, on: connection)
        }
        let file = try? await call("GetUnitFileState")?.string
        // Before a condition was ever checked, its result is false and its time 0.
        let isChecked = await value("ConditionTimestamp")?.uint64 ?? 0 > 0
        let conditionHeld = await value("ConditionResult")?.boolean
        return DoctorFacts.Unit(
            fileState: file ?? "not installed",
            activeState: await value("ActiveState")?.string ?? "unknown",
            subState: await value("SubState")?.string ?? "",
            isExcluded: isChecked && conditionHeld == false
        )
    }

    /// Asks the notification server whether it shows buttons; nil when none runs, or none answers.
    private static func notifiesWithButtons(on connection: Connection) async -> Bool? {
        let call = MethodCall(
            destination: "org.freedesktop.Notifications",
            path: "/org/freedesktop/Notifications",
            interface: "org.freedesktop.Notifications",
            member: "GetCapabilities",
            startsService: false
        )
        let answer = try? await connection.call(call, timeout: patience)
        return (try? answer?.decode(at: 0, as: [String].self)).map { $0.contains("actions") }
    }

    private static func property(
        _ name: String,
        of interface: String,
        at path: ObjectPath,
        on connection: Connection,
        from service: BusName = "org.freedesktop.systemd1"
    ) async throws -> Value? {
        let call = MethodCall(
            destination: service,
            path: path,
            interface: "org.freedesktop.DBus.Properties",
            member: "Get",
            arguments: [.string(interface), .string(name)]
        )
        guard case .variant(let value)? = try await connection.call(call, timeout: patience).first else { return nil }
        return value
    }

    /// Returns the names that are on the bus, or that the bus can start.
    ///
    /// The bus itself has more time than the programs on it: without these names, the daemon would count as not installed.
    ///
    /// - Throws: `DBusError` when the bus does not answer.
    private static func names(on connection: Connection) async throws -> Set<String> {
        var names: Set<String> = []
        for member in ["ListNames", "ListActivatableNames"] as [MemberName] {
            let call = MethodCall(
                destination: "org.freedesktop.DBus",
                path: "/org/freedesktop/DBus",
                interface: "org.freedesktop.DBus",
                member: member
            )
            names.formUnion(try await connection.call(call).decode(at: 0, as: [String].self))
        }
        return names
    }

    // MARK: The system bus

    private func readSystemBus(_ facts: inout DoctorFacts) async {
        let name = facts.adapterName
        do {
            let read = try await Connection.withConnection(to: .system) { connection in
                let clock = try? await Self.property(
                    "NTPSynchronized",
                    of: "org.freedesktop.timedate1",
                    at: "/org/freedesktop/timedate1",
                    on: connection,
                    from: "org.freedesktop.timedate1"
                )
                let bluetooth = await BluetoothExamination(adapterName: name).read(on: connection)
                let version = await bluetoothVersion(on: connection)
                let wireless = await WirelessExamination(connection: connection).networks()
                return (clock: clock?.boolean, bluetooth: bluetooth, version: version, wireless: wireless)
            }
            facts.isClockSynchronized = read.clock
            facts.bluetooth = read.bluetooth.state
            facts.advertisement = read.bluetooth.advertisement
            facts.discovery = read.bluetooth.discovery
            facts.channels = read.bluetooth.channels
            facts.bluetoothVersion = read.version
            facts.wireless = read.wireless
        } catch {
            facts.bluetooth = .noBus("\(error)")
        }
    }

    /// Asks the program of bluetoothd for its version, which is not on the bus.
    private func bluetoothVersion(on connection: Connection) async -> BlueZRelease? {
        guard let process = try? await connection.processID(of: "org.bluez"),
            let program = RunningProgram(process: process, processes: files.root + "/proc")
        else { return nil }
        return await program.versionLine(root: files.root).flatMap { BlueZRelease($0) }
    }
}
