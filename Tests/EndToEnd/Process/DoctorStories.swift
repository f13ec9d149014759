import BlueZTestSupport
import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "handoffctl doctor finds what is really wrong, and is content once its cure was followed",
    .endsWithin(minutes: 15, instances: 6)
)
struct DoctorStories {
    /// A way to break a computer, and to mend it as the finding says.
    struct Breakage: CustomTestStringConvertible, Sendable {
        let check: String
        var grade = "fault"
        /// A part of the cure.
        let cure: String
        let damage: @Sendable (DoctorBench) throws -> Void
        /// Nil when what is damaged mends itself.
        var mend: (@Sendable (DoctorBench) throws -> Void)?

        var testDescription: String { check }
    }

    private static let adapterInterface: InterfaceName = "org.bluez.Adapter1"
    private static let transport: ObjectPath = "/org/bluez/hci0/dev_00_00_00_00_00_09/fd0"

    static let breakages: [Breakage] = [
        Breakage(check: "power", cure: "bluetoothctl power on") {
            $0.bluetoothd.setPowered($0.adapter, false)
        } mend: {
            $0.bluetoothd.setPowered($0.adapter, true)
        },
        Breakage(check: "switch", cure: "use that switch") {
            try $0.write("/sys/class/rfkill/rfkill0/hard", "1")
        } mend: {
            try $0.write("/sys/class/rfkill/rfkill0/hard", "0")
        },
        Breakage(check: "adapter", cure: "plug one in") {
            $0.bluetoothd.remove($0.adapter)
        } mend: {
            _ = $0.bluetoothd.addAdapter()
            $0.bluetoothd.addAdvertising(to: $0.adapter)
        },
        Breakage(check: "roles", cure: "another adapter") {
            $0.bluetoothd.set($0.adapter, adapterInterface, ["Roles": ["central"].value])
        } mend: {
            $0.bluetoothd.set($0.adapter, adapterInterface, ["Roles": ["central", "peripheral"].value])
        },
        Breakage(check: "advertisement", cure: "restart bluetooth") {
            $0.bluetoothd.fail("RegisterAdvertisement", "org.bluez.Error.Failed", "Failed to register advertisement")
        },
        Breakage(check: "scan", cure: "restart bluetooth") {
            $0.bluetoothd.fail("StartDiscovery", "org.bluez.Error.Failed", "no")
        },
        Breakage(check: "sound", grade: "advice", cure: "handoffctl nearby") {
            $0.bluetoothd.insert("org.bluez.MediaTransport1", ["State": .string("active")], at: transport)
        } mend: {
            $0.bluetoothd.remove(transport)
        },
        Breakage(check: "autosuspend", grade: "advice", cure: "power/control") {
            try $0.write("/sys/class/bluetooth/hci0/power/control", "auto\n")
        } mend: {
            try $0.write("/sys/class/bluetooth/hci0/power/control", "on\n")
        },
        Breakage(check: "bluetoothd-version", cure: "update bluez") {
            try $0.installBluetoothd(printing: "5.55")
        } mend: {
            try $0.installBluetoothd(printing: "5.82")
        },
        Breakage(check: "att-channels", grade: "advice", cure: "Channels = 1 under [GATT]") {
            try $0.installBluetoothd(printing: "5.66")
        } mend: {
            try $0.write("/etc/bluetooth/main.conf", "[GATT]\nChannels = 1\n")
        },
        Breakage(check: "inotify", grade: "advice", cure: "sysctl") {
            try $0.write("/proc/sys/fs/inotify/max_user_instances", "64\n")
        } mend: {
            try $0.write("/proc/sys/fs/inotify/max_user_instances", "256\n")
        },
        Breakage(check: "state-mode", cure: "chmod") {
            try $0.makeState(mode: 0o755)
        } mend: {
            try $0.makeState(mode: 0o700)
        },
    ]

    @Test("What is broken is found, with its cure, and found no more when that was followed", arguments: breakages)
    func breakage(_ breakage: Breakage) async throws {
        try await DoctorBench.run { bench in
            #expect(try await !bench.examine().checks.contains(breakage.check))
            try breakage.damage(bench)
            let broken = try await bench.examine()
            let finding = try #require(broken.finding(breakage.check), "\(broken)")
            #expect(finding["grade"].string == breakage.grade)
            #expect(finding["cure"].string.contains(breakage.cure))
            try breakage.mend?(bench)
            let mended = try await bench.examine()
            #expect(!mended.checks.contains(breakage.check), "\(mended)")
        }
    }

    @Test("Without bluetoothd, and without a system bus, doctor says which of the two is missing")
    func noBluetoothd() async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                func examine(_ address: String) async throws -> Examination {
                    let variables = ["HOME": world.directory.path(), "DBUS_SYSTEM_BUS_ADDRESS": address]
                    let arguments = ["--bus", bus.address.description, "--json", "doctor"]
                    return Examination(
                        try await HandoffTestSupport.run(Programs.handoffctl, arguments, environment: variables)
                    )
                }
                #expect(try await examine(bus.address.description).checks.contains("bluetoothd"))
                let without = try await examine("unix:path=/nowhere")
                #expect(without.checks.contains("system-bus"))
                #expect(without.status == 1)
            }
        }
    }

    @Test("A clock without a time server, and a desktop without notifications, are found while that is so")
    func services() async throws {
        try await DoctorBench.run { bench in
            let clock = Interface(
                name: "org.freedesktop.timedate1",
                properties: [Property(name: "NTPSynchronized", type: .boolean) { .boolean(false) }]
            )
            let path: ObjectPath = "/org/freedesktop/timedate1"
            #expect(try await bench.examine().checks.isSuperset(of: ["notifications"]))
            try await bench.bus.withService("org.freedesktop.timedate1", at: path, [clock]) { _ in
                let checks = try await bench.examine().checks
                #expect(checks.isSuperset(of: ["clock", "notifications"]))
            }
            try await bench.bus.withService("org.freedesktop.Notifications", at: "/none", []) { _ in
                let checks = try await bench.examine().checks
                #expect(checks.isDisjoint(with: ["clock", "notifications"]))
            }
        }
    }

    @Test("A notification server without buttons is found; one with buttons is not")
    func buttons() async throws {
        try await DoctorBench.run { bench in
            for (capabilities, isFound) in [(["body"], true), (["body", "actions"], false)] {
                let output = Argument(name: "capabilities", type: .array(.string))
                let server = Interface(
                    name: "org.freedesktop.Notifications",
                    methods: [Method(name: "GetCapabilities", outputs: [output]) { _ in .reply([capabilities.value]) }]
                )
                let path: ObjectPath = "/org/freedesktop/Notifications"
                try await bench.bus.withService("org.freedesktop.Notifications", at: path, [server]) { _ in
                    let found = try await bench.examine().finding("notifications")
                    #expect((found?["cure"].string.contains("handoffctl continue") == true) == isFound)
                }
            }
        }
    }

    @Test("Wi-Fi at 2.4 GHz on the chip of the adapter is found, and one at 5 GHz or without a network is not")
    func wireless() async throws {
        try await DoctorBench.run { bench in
            try bench.write("/sys/class/bluetooth/hci0/idVendor", "8087\n")
            try bench.write("/sys/class/net/wlan0/device/vendor", "0x8086\n")
            for (frequency, isFound) in [(2437, true), (5180, false), (nil, false)] as [(UInt32?, Bool)] {
                try await bench.bus.withNetwork(frequency) {
                    let examination = try await bench.examine()
                    #expect(examination.checks.contains("wifi") == isFound, "\(examination)")
                }
            }
        }
    }

    @Test("doctor does not start the daemon: it says that the next call does, and that call does")
    func notStarted() async throws {
        try await World.run { world in
            let services = world.directory.appending(path: "services")
            try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
            defer { world.endDaemon() }
            try await withPrivateBus(services: services) { bus in
                try world.installDaemonService("laptop", on: bus.address)
                func examine(_ options: String...) async throws -> Examination {
                    let arguments = ["--bus", bus.address.description, "--json", "doctor"] + options
                    return Examination(
                        try await HandoffTestSupport.run(Programs.handoffctl, arguments, environment: world.environment)
                    )
                }
                let before = try await examine("--peer", "desktop")
                #expect(before.finding("daemon")?["cure"].string.contains("handoffctl status") == true)
                #expect(before.checks.contains("peer"))
                #expect(before.status == 1)
                let owner = try await Connection.withConnection(to: bus.address) { connection in
                    try await connection.owner(of: HandoffName.control)
                }
                #expect(owner == nil)
                let arguments = ["--bus", bus.address.description, "status"]
                let status = try await HandoffTestSupport.run(
                    Programs.handoffctl,
                    arguments,
                    environment: world.environment
                )
                #expect(status.status == 0)
                #expect(try await examine().finding("daemon")?["grade"].string == "good")
            }
        }
    }

    @Test(
        "A unit that has failed, that fails again and again, is masked or is not there has a cure of its own",
        arguments: [
            (UnitState(file: "enabled", active: "failed", sub: "failed"), "journalctl --user"),
            (UnitState(file: "enabled", active: "activating", sub: "auto-restart"), "journalctl --user"),
            (UnitState(file: "enabled", isExcluded: true), "ordinary user"),
            (UnitState(file: "masked"), "unmask"), (UnitState(file: nil), "install the package"),
            (UnitState(file: "disabled"), "systemctl --user start"),
        ]
    )
    func units(_ unit: UnitState, _ cure: String) async throws {
        try await DoctorBench.run { bench in
            try await unit.whileOnBus(on: bench.bus) {
                let examination = try await bench.examine()
                #expect(examination.finding("daemon")?["cure"].string.contains(cure) == true, "\(examination)")
                #expect(examination.status == 1)
            }
        }
    }

    @Test("What the person has switched off, and what is wrong with apps and folders, is found while it is so")
    func daemon() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                func checks() async throws -> Set<String> {
                    Examination(try await laptop.run("--json", "doctor")).checks
                }
                #expect(try await checks().contains("trust"))
                _ = try await laptop.json("pause")
                #expect(try await checks().contains("paused"))
                _ = try await laptop.json("resume")
                #expect(try await laptop.run("rules", "receive-only", "on").status == 0)
                #expect(try await checks().isSuperset(of: ["receive-only"]))
                #expect(try await laptop.run("rules", "receive-only", "off").status == 0)
                #expect(try await checks().isDisjoint(with: ["paused", "receive-only", "folder", "daemon"]))
                let folder = world.directory.appending(path: "docs")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                #expect(try await laptop.run("folders", "add", "docs", folder.path()).status == 0)
                try FileManager.default.removeItem(at: folder)
                #expect(try await checks().contains("folder"))
            }
        }
    }

    @Test("A report has neither the user's number, nor what the command line named, and replaces no file")
    func report() async throws {
        try await DoctorBench.run { bench in
            let file = bench.world.directory.appending(path: "report.txt")
            let variables = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/run/user/4711/bus"]
            let options = ["--peer", "Dora", "--report", file.path()]
            let examination = try await bench.examine(options, variables: variables)
            #expect(examination.finding("peer")?["message"].string.contains("Dora") == true)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("fault system-bus"))
            for secret in ["4711", "Dora", bench.home] { #expect(!text.contains(secret), "\(text)") }
            #expect(try await bench.examine(options).status == 1)
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
    }

    @Test("doctor --peer follows the way to a device that is named as anywhere else, and times a fetch")
    func peer() async throws {
        try await World.runPair { _, laptop, desktop in
            @Sendable func examine(_ name: String) async throws -> Examination {
                Examination(try await laptop.run("--json", "doctor", "--peer", name))
            }
            let silent = try await examine("DESKTOP")
            #expect(silent.finding("peer")?["grade"].string == "good")
            #expect(silent.finding("peer-heard")?["cure"].string.contains("publish") == true)
            let id = try await desktop.id
            try await desktop.publishing("org.example.edit") { _ in
                // doctor itself looks for three seconds.
                _ = try await laptop.watchingOnce()
                let heard = try await examine(String(id.prefix(6)))
                for leg in ["peer", "peer-version", "peer-heard", "peer-fetch"] {
                    #expect(heard.finding(leg)?["grade"].string == "good", "\(leg): \(heard)")
                }
                #expect(try await examine("laptop").finding("peer")?["message"].string.contains("this device") == true)
                #expect(try await examine("nobody").finding("peer")?["grade"].string == "fault")
            }
        }
    }

    @Test("A device that has removed this one ends the way at the session, or at the link when it has another address")
    func untrusting() async throws {
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                // Without a device that it trusts, the desktop would advertise nothing, and could not be called.
                try await desktop.trust(tablet)
                try await desktop.publishing("org.example.edit") { _ in
                    try await laptop.watching { watcher in
                        _ = try await watcher.one()
                        _ = try await desktop.json("devices", "remove", "--yes", try await laptop.id)
                        let ended = Examination(try await laptop.run("--json", "doctor", "--peer", "desktop"))
                        let leg = ended.finding("peer-session") ?? ended.finding("peer-link")
                        #expect(try #require(leg, "\(ended)")["cure"].string.contains("handoffctl"))
                        #expect(ended.finding("peer-fetch") == nil)
                        #expect(ended.status == 1)
                    }
                }
            }
        }
    }
}
