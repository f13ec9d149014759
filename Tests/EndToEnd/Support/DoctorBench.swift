import BlueZTestSupport
import DBus
import Foundation
import HandoffTestSupport

/// A computer for `handoffctl doctor`: a system bus with a bluetoothd, a root directory with the files of a kernel, and
/// a home.
struct DoctorBench: Sendable {
    let world: World
    /// The session bus and the system bus.
    let bus: PrivateBus
    let bluetoothd: FakeBluetoothd
    let adapter: ObjectPath

    /// The path of the directory that stands for `/`.
    var root: String { world.directory.appending(path: "root").path() }
    var home: String { world.directory.appending(path: "home").path() }

    /// Runs `body` on a computer without a fault in its Bluetooth and its files; no daemon runs.
    static func run(_ body: @escaping @Sendable (DoctorBench) async throws -> Void) async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                try await withFakeBluetoothd(on: bus.address) { bluetoothd in
                    let adapter = bluetoothd.addAdapter(more: ["Alias": .string("Computer")])
                    bluetoothd.addAdvertising(to: adapter)
                    let bench = DoctorBench(world: world, bus: bus, bluetoothd: bluetoothd, adapter: adapter)
                    try bench.write("/proc/sys/fs/inotify/max_user_instances", "128\n")
                    try bench.write("/bin/xdg-open", "", mode: 0o755)
                    try bench.write("/sys/class/bluetooth/hci0/device/modalias", "usb\n")
                    try bench.write("/sys/class/bluetooth/hci0/power/control", "on\n")
                    for (file, text) in [("type", "bluetooth"), ("soft", "0"), ("hard", "0")] {
                        try bench.write("/sys/class/rfkill/rfkill0/\(file)", text)
                    }
                    try bench.makeState(mode: 0o700)
                    try await body(bench)
                }
            }
        }
    }

    /// Writes a file below the root directory.
    func write(_ path: String, _ text: String, mode: Int = 0o644) throws {
        let file = URL(filePath: root + path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path())
    }

    /// Makes the directory of the keys, or changes its mode.
    func makeState(mode: Int) throws {
        let path = root + home + "/.local/state/handoff"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Makes the process with the name of bluetoothd one of a program that prints this as its version.
    func installBluetoothd(printing version: String) throws {
        let path = "/usr/libexec/bluetooth/bluetoothd"
        // The fake is a part of this process.
        try write("/proc/\(getpid())/cmdline", "\(path)\0--noplugin=hostname\0")
        try write(path + ".version", version + "\n")
        let program = root + path
        guard !FileManager.default.fileExists(atPath: program) else { return }
        let imitation = Repository.file("Tests/Scripts/imitation-bluetoothd").path()
        try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: imitation)
    }

    /// What doctor prints, and its exit status.
    func examine(_ options: [String] = [], variables: [String: String] = [:]) async throws -> Examination {
        let environment = [
            "HOME": home, "PATH": "/bin", "DBUS_SYSTEM_BUS_ADDRESS": bus.address.description,
        ].merging(variables) { $1 }
        let arguments = ["--bus", bus.address.description, "--json", "doctor", "--root", root] + options
        return Examination(try await HandoffTestSupport.run(Programs.handoffctl, arguments, environment: environment))
    }
}

extension PrivateBus {
    /// Runs `body` while a NetworkManager is on the bus that has a cable, and a Wi-Fi device in a network of that
    /// frequency in MHz, or in none.
    func withNetwork(_ frequency: UInt32?, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let root: ObjectPath = "/org/freedesktop/NetworkManager"
        let (cable, wifi, point) = (root.appending("Cable"), root.appending("Wireless"), root.appending("AccessPoint"))
        let devices = Argument(name: "devices", type: .array(.objectPath))
        let manager = Interface(
            name: "org.freedesktop.NetworkManager",
            methods: [
                Method(name: "GetDevices", outputs: [devices]) { _ in .reply([[cable, wifi].value]) }
            ]
        )
        @Sendable func device(_ kind: UInt32, _ name: String) -> Interface {
            Interface(
                name: "org.freedesktop.NetworkManager.Device",
                properties: [
                    Property(name: "DeviceType", type: .uint32) { .uint32(kind) },
                    Property(name: "Interface", type: .string) { .string(name) },
                ]
            )
        }
        let current: ObjectPath = frequency == nil ? "/" : point
        let wireless = Interface(
            name: "org.freedesktop.NetworkManager.Device.Wireless",
            properties: [Property(name: "ActiveAccessPoint", type: .objectPath) { .objectPath(current) }]
        )
        let channel = Interface(
            name: "org.freedesktop.NetworkManager.AccessPoint",
            properties: [Property(name: "Frequency", type: .uint32) { .uint32(frequency ?? 0) }]
        )
        try await withService("org.freedesktop.NetworkManager", at: root, [manager]) { connection in
            connection.objects.insert([device(1, "eth0")], at: cable)
            connection.objects.insert([device(2, "wlan0"), wireless], at: wifi)
            connection.objects.insert([channel], at: point)
            try await body()
        }
    }
}

/// What `handoffctl doctor --json` has answered.
struct Examination: Sendable {
    let findings: [JSON]
    let status: Int32

    init(_ result: ProgramResult) {
        findings = (try? JSON(result.stdout))?.array ?? []
        status = result.status
    }

    /// The checks that are not good.
    var checks: Set<String> { Set(findings.filter { $0["grade"].string != "good" }.map { $0["check"].string }) }

    /// What was found at a check that is not good, or at a good one.
    func finding(_ check: String) -> JSON? { findings.first { $0["check"].string == check } }
}

/// The unit of handoffd as the user's systemd tells it.
struct UnitState: Sendable {
    var file: String?
    var active = "inactive"
    var sub = "dead"
    /// Whether a condition of the unit did not hold when it was started last.
    var isExcluded = false

    /// Runs `body` while a systemd that knows the unit in this state is on the bus.
    func whileOnBus(on bus: PrivateBus, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let unit: ObjectPath = "/org/freedesktop/systemd1/unit/handoffd_2eservice"
        let name = Argument(name: "name", type: .string)
        let manager = Interface(
            name: "org.freedesktop.systemd1.Manager",
            methods: [
                Method(name: "LoadUnit", inputs: [name], outputs: [Argument(name: "unit", type: .objectPath)]) { _ in
                    .reply([.objectPath(unit)])
                },
                Method(name: "GetUnitFileState", inputs: [name], outputs: [Argument(name: "state", type: .string)]) {
                    _ in
                    guard let file else {
                        throw DBusError.failure("org.freedesktop.DBus.Error.FileNotFound", "No such file")
                    }
                    return .reply([.string(file)])
                },
            ]
        )
        let (active, sub, isExcluded) = (active, sub, isExcluded)
        let properties = [
            Property(name: "ActiveState", type: .string) { .string(active) },
            Property(name: "SubState", type: .string) { .string(sub) },
            Property(name: "ConditionResult", type: .boolean) { .boolean(false) },
            Property(name: "ConditionTimestamp", type: .uint64) { .uint64(isExcluded ? 1 : 0) },
        ]
        try await bus.withService("org.freedesktop.systemd1", at: "/org/freedesktop/systemd1", [manager]) {
            connection in
            connection.objects.insert(
                [Interface(name: "org.freedesktop.systemd1.Unit", properties: properties)],
                at: unit
            )
            try await body()
        }
    }
}
