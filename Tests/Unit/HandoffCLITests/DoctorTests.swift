@testable import BlueZ
import Bluetooth
import DBus
import Foundation
import TestLimits
import Testing

@testable import HandoffBus
@testable import HandoffCLI
import HandoffModel

@Suite("doctor finds each fault, says why it matters, and how to mend it", .endsWithin(minutes: 10))
struct DoctorTests {
    @Test("A healthy computer has no fault and nothing to improve")
    func healthy() {
        #expect(Diagnosis.findings(from: .healthy).filter { $0.grade != .good } == [])
        #expect(Diagnosis.findings(from: .healthy).count >= 6)
    }

    @Test("Each fault is found, alone, with its grade and a cure", arguments: Fault.all)
    func fault(_ fault: Fault) throws {
        var facts = DoctorFacts.healthy
        fault.make(&facts)
        let findings = Diagnosis.findings(from: facts).filter { $0.grade != .good }
        #expect(findings.map(\.check) == [fault.check])
        let finding = try #require(findings.first)
        #expect(finding.grade == fault.grade)
        #expect(fault.cure.map { finding.cure?.contains($0) == true } ?? true)
        #expect(DoctorCommand.text(findings).contains(finding.message))
    }

    @Test("Devices that nobody hears for long are no fault: a finding tells how seldom is scanned")
    func unheard() throws {
        var facts = DoctorFacts.healthy
        facts.daemon = .running(.healthy(.sample(scanning: "unheard")))
        let findings = Diagnosis.findings(from: facts)
        #expect(findings.filter { $0.grade != .good } == [])
        #expect(findings.first { $0.check == "scanning" }?.message == "Not scanned.")
    }

    @Test("Each advisory that the daemon can report has a cure")
    func advisoryCures() throws {
        let page = try #require(try? String(contentsOf: Self.managerPage, encoding: .utf8))
        let section = try #require(
            page.components(separatedBy: "### Advisories").last?.components(separatedBy: "\n### ").first
        )
        let names = section.matches(of: /`([a-z]+-[a-z]+(?:-[a-z]+)?|withheld)`/).map { String($0.output.1) }
        #expect(Set(names).isSuperset(of: ["slow-advertising", "not-listening", "identity-copied", "withheld"]))
        for name in names { #expect(AdvisoryCure.all[name] != nil, "\(name) has no cure") }
    }

    @Test("The page for troubleshooting explains each check by its name")
    func troubleshooting() throws {
        let page = try String(contentsOf: Self.docs.appending(path: "Troubleshooting.md"), encoding: .utf8)
        let good = Diagnosis.findings(from: .healthy).map(\.check)
        let legs = ["peer", "clock", "version", "heard", "link", "channel", "session", "fetch"]
        let peer = legs.map { $0 == "peer" ? $0 : "peer-\($0)" }
        for check in Set(
            Fault.all.map(\.check) + good + peer + AdvisoryCure.all.keys + [
                "radio", "browser-extension", "browser-sandbox",
            ]
        ) {
            #expect(page.contains("`\(check)`"), "\(check) is not explained")
        }
    }

    private static let managerPage = docs.appending(path: "dbus/Manager1.md")
    private static let docs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs")

    @Test("A daemon with a simulated radio needs no Bluetooth")
    func simulated() {
        var facts = DoctorFacts.healthy
        facts.daemon = .running(.healthy(.sample(radio: "desktop")))
        facts.bluetooth = .noBus("none")
        #expect(Diagnosis.findings(from: facts).filter { $0.grade != .good } == [])
    }

    @Test("A report has no name, id, address or path in it")
    func report() {
        var facts = DoctorFacts.healthy
        var answers = DoctorFacts.Answers.healthy(
            .sample(
                advisories: [["clock-differs", "The clock of Ann's laptop at 00:AA:01:00:00:00 differs."]],
                questions: [DeviceQuestion(id: "00000000000000fe", name: "Emil's phone", reason: .disputed, others: [])]
            )
        )
        answers.folderProblems = ["The folder docs: /home/ann/Documents does not exist."]
        answers.devices = [.sample("Bert's desktop", lastSeen: 0)]
        answers.unconfirmed = [UnconfirmedDevice(id: "fedcba9876543210", name: "Cleo's tablet")]
        answers.faultyFiles = [AppFileFault(file: "/opt/ann/app.desktop", message: "the key Exec is missing")]
        facts.daemon = .running(answers)
        let more: [Finding] = [
            .fault("bus", "Failed to connect to socket /run/user/1007/bus: Connection refused", cure: nil),
            .fault("bus", "The address unix:path=/run/user/1007/bus,guid=00 is refused.", cure: nil),
            .fault("peer", "No device has the name or the ID \"Dora\".", cure: nil),
            .fault("peer", "Emil's phone is known, and not trusted any more.", cure: nil),
            .good("state", "main.conf is /etc/bluetooth/main.conf, and 1 of 2 and/or 1/4 is no path."),
        ]
        let text = DoctorReport(Diagnosis.findings(from: facts) + more, facts, naming: "Dora", kernel: "6.1").text
        let secrets = [
            "0123456789abcdef", "00:AA:01:00:00:00", "/home/ann", "Ann's", "Bert", "Cleo", "/opt/ann", "1007", "Dora",
            "Emil",
        ]
        #expect(text.contains("/etc/bluetooth/main.conf, and 1 of 2 and/or 1/4"))
        for secret in secrets {
            #expect(!text.contains(secret), "\(secret) is in the report:\n\(text)")
        }
        #expect(text.contains("kernel 6.1"))
        let short = DoctorReport([.good("bluetoothd", "a word, a name d, and end")], facts, naming: "d", kernel: "6.1")
        #expect(short.text.contains("a word, a name …, and end"))
        #expect(text.contains("fault folder"))
    }

    @Test("The files of the system are read, and those that are not there tell nothing")
    func systemFiles() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: root) }
        func write(_ path: String, _ text: String) throws {
            let path = root + path
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true
            )
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let files = SystemFiles(root: root, environment: ["HOME": "/home/ann", "PATH": "/usr/bin"])
        #expect(files.bluetoothSwitches == [])
        #expect(files.inotifyInstances == nil)
        #expect(files.isSuspendedWhenIdle("hci0") == nil)
        #expect(files.stateDirectory?.mode == nil)
        #expect(!files.hasProgram("xdg-open"))
        try write("/sys/class/rfkill/rfkill0/type", "wlan\n")
        for (file, text) in [("type", "bluetooth\n"), ("soft", "1\n"), ("hard", "0\n")] {
            try write("/sys/class/rfkill/rfkill1/\(file)", text)
        }
        try write("/proc/sys/fs/inotify/max_user_instances", "128\n")
        try write("/home/ann/.local/state/handoff/identity", "key")
        try write("/home/ann/.config/handoff/identity", "key")
        #expect(
            files.bluetoothSwitches == [.init(name: "rfkill1", isSoftBlocked: true, isHardBlocked: false)]
        )
        #expect(files.inotifyInstances == 128)
        #expect(files.stateDirectory?.hasIdentity == true)
        #expect(files.stateDirectory?.earlierPath == "/home/ann/.config/handoff")
    }
}

/// A fault of a computer, and the finding that it leads to.
struct Fault: CustomTestStringConvertible, Sendable {
    let check: String
    var grade = Finding.Grade.fault
    /// A part of the cure; nil when there is none.
    var cure: String?
    let make: @Sendable (inout DoctorFacts) -> Void

    var testDescription: String { "\(check) \(grade.rawValue)" }

    static let all = daemon + state + bluetooth + desktop

    private static let daemon = [
        Fault(check: "bus", cure: "dbus-user-session") { $0.daemon = .noBus("no socket") },
        Fault(check: "daemon", cure: "systemctl --user start") { $0.daemon = .absent(isStartable: false) },
        Fault(check: "daemon", cure: "handoffctl status") { $0.daemon = .absent(isStartable: true) },
        Fault(check: "daemon", cure: "journalctl --user") {
            $0.daemon = .absent(isStartable: true)
            $0.unit?.activeState = "failed"
        },
        Fault(check: "daemon", cure: "journalctl --user") {
            $0.daemon = .absent(isStartable: true)
            $0.unit?.activeState = "activating"
            $0.unit?.subState = "auto-restart"
        },
        Fault(check: "daemon", cure: "unmask") {
            $0.daemon = .absent(isStartable: true)
            $0.unit?.fileState = "masked"
        },
        Fault(check: "daemon", cure: "install the package") {
            $0.daemon = .absent(isStartable: false)
            $0.unit?.fileState = "not installed"
        },
        Fault(check: "daemon", cure: "handoffd --foreground") {
            $0.daemon = .absent(isStartable: false)
            $0.unit = nil
        },
        Fault(check: "daemon", cure: "restart") { $0.daemon = .failing("no memory") },
        Fault(check: "version", cure: "restart") { $0.toolVersion = "0.0.1" },
        Fault(check: "trust", grade: .advice, cure: "handoffctl pair") {
            $0.answers { $0.devices = [] }
        },
        Fault(check: "unconfirmed", grade: .advice, cure: "handoffctl pair") {
            $0.answers { $0.unconfirmed = [UnconfirmedDevice(id: "fedcba9876543210", name: "Tablet")] }
        },
        Fault(check: "unconfirmed", grade: .advice, cure: "near each other") {
            $0.answers {
                $0.devices = []
                $0.unconfirmed = [UnconfirmedDevice(id: "fedcba9876543210", name: "Tablet")]
            }
        },
        Fault(check: "unheard", grade: .advice, cure: "on Desktop") {
            $0.answers { $0.devices = [.sample("Desktop", lastSeen: 0)] }
        },
        Fault(check: "unheard", grade: .advice, cure: "handoffctl doctor") {
            $0.time = Timestamp(microseconds: 1_795_086_400_000_000)!
        },
        Fault(check: "paused", grade: .advice, cure: "handoffctl resume") {
            $0.answers { $0.rules = RulesStatus(["Paused": .boolean(true)]) }
        },
        Fault(check: "receive-only", grade: .advice, cure: "receive-only off") {
            $0.answers { $0.rules = RulesStatus(["ReceiveOnly": .boolean(true)]) }
        },
        Fault(check: "withheld-by-rule", grade: .advice, cure: "handoffctl rules") {
            $0.answers {
                $0.rules = RulesStatus(["Withheld": .dictionaries([["Message": .string("A rule denies it.")]])])
            }
        },
        Fault(check: "not-advertising", cure: "restart bluetooth") {
            $0.daemon = .running(.healthy(.sample(advisories: [["not-advertising", "The kernel refuses it."]])))
        },
        Fault(check: "scanning", grade: .advice, cure: "handoffctl nearby") {
            $0.daemon = .running(.healthy(.sample(scanning: "away")))
        },
        Fault(check: "public-address", grade: .advice, cure: "main.conf") {
            $0.daemon = .running(.healthy(.sample(advisories: [["public-address", "Set 'Privacy = device'."]])))
        },
        Fault(check: "unit", grade: .advice, cure: "enable") { $0.unit?.fileState = "disabled" },
        Fault(check: "unit", grade: .advice, cure: "unmask") { $0.unit?.fileState = "masked-runtime" },
        Fault(check: "unit", grade: .advice, cure: "install the package") { $0.unit?.fileState = "not installed" },
        Fault(check: "unit", grade: .advice) { $0.unit = nil },
    ]

    private static let state = [
        Fault(check: "identity", grade: .advice, cure: "rm") { $0.stateDirectory?.earlierPath = "/h/.config/handoff" },
        Fault(check: "state-owner", cure: "chown") { $0.stateDirectory?.belongsToUser = false },
        Fault(check: "state-mode", cure: "chmod") { $0.stateDirectory?.mode = 0o755 },
    ]

    private static let bluetooth = [
        Fault(check: "system-bus", cure: "dbus") { $0.bluetooth = .noBus("no socket") },
        Fault(check: "bluetoothd", cure: "restart") { $0.bluetooth = .silent("no answer") },
        Fault(check: "bluetoothd", cure: "apt install bluez") { $0.bluetooth = .absent },
        Fault(check: "adapter", cure: "btusb") { $0.bluetooth = .running([]) },
        Fault(check: "switch", cure: "switch or key") {
            $0.bluetooth = .running([])
            $0.radioSwitches = [.init(name: "rfkill0", isSoftBlocked: false, isHardBlocked: true)]
        },
        Fault(check: "switch", cure: "rfkill unblock") { $0.bluetooth = .running([.sample(power: .blocked)]) },
        Fault(check: "power", cure: "bluetoothctl power on") { $0.bluetooth = .running([.sample(power: .off)]) },
        Fault(check: "roles", cure: "another adapter") { $0.bluetooth = .running([.sample(roles: ["central"])]) },
        Fault(check: "advertisement", cure: "programs that advertise") {
            $0.bluetooth = .running([.sample(freeAdvertisements: 0)])
            $0.advertisement = .refused("no instance")
        },
        Fault(check: "advertisement", cure: "update bluez") { $0.advertisement = .refused("invalid parameters") },
        Fault(check: "scan", cure: "restart") { $0.discovery = .refused("busy") },
        Fault(check: "autosuspend", grade: .advice, cure: "power/control") { $0.isSuspendedWhenIdle = true },
        Fault(check: "sound", grade: .advice, cure: "handoffctl nearby") {
            $0.bluetooth = .running([.sample(isPlayingAudio: true)])
        },
    ]

    private static let desktop = [
        Fault(check: "clock", grade: .advice, cure: "timedatectl") { $0.isClockSynchronized = false },
        Fault(check: "inotify", grade: .advice, cure: "sysctl") { $0.inotifyInstances = 64 },
        Fault(check: "notifications", grade: .advice, cure: "dunst") { $0.hasNotificationServer = false },
        Fault(check: "browser", grade: .advice, cure: "xdg-utils") { $0.opensWebpages = false },
        Fault(check: "browser", grade: .advice, cure: "xdg-utils") {
            $0.opensWebpages = false
            $0.hasPortal = true
        },
        Fault(check: "browser", grade: .advice, cure: "xdg-settings") { $0.defaultBrowser = nil },
        Fault(check: "app-file", cure: "apps --check") {
            $0.answers { $0.faultyFiles = [AppFileFault(file: "/a.desktop", message: "the key Exec is missing")] }
        },
        Fault(check: "folder", cure: "handoffctl folders") {
            $0.answers { $0.folderProblems = ["The folder docs is gone."] }
        },
    ]
}

extension DoctorFacts {
    fileprivate static let healthy = DoctorFacts(
        toolVersion: "0.1.0",
        daemon: .running(.healthy()),
        unit: Unit(fileState: "enabled", activeState: "active"),
        stateDirectory: StateDirectory(
            path: "/home/ann/.local/state/handoff",
            hasIdentity: true,
            mode: 0o700,
            belongsToUser: true
        ),
        bluetooth: .running([.sample()]),
        adapterName: "hci0",
        isSuspendedWhenIdle: false,
        advertisement: .accepted,
        discovery: .accepted,
        isClockSynchronized: true,
        inotifyInstances: 128,
        hasNotificationServer: true,
        opensWebpages: true,
        defaultBrowser: "firefox-esr",
        // An hour after the other device was last heard.
        time: Timestamp(microseconds: 1_795_003_600_000_000)!
    )

    /// Changes what the daemon has told.
    fileprivate mutating func answers(_ change: (inout Answers) -> Void) {
        guard case .running(var answers) = daemon else { return }
        change(&answers)
        daemon = .running(answers)
    }
}

extension DoctorFacts.Answers {
    fileprivate static func healthy(_ status: DaemonStatus = .sample()) -> Self {
        Self(status: status, devices: [.sample("Desktop", lastSeen: 1_795_000_000_000_000)])
    }
}

extension DeviceDescription {
    fileprivate static func sample(_ name: String, lastSeen: UInt64) -> DeviceDescription {
        DeviceDescription(id: "00000000000000ff", name: name, introducedBy: "", protocolVersion: 2, lastSeen: lastSeen)
    }
}

extension DaemonStatus {
    fileprivate static func sample(
        radio: String = "hci0",
        advisories: [[String]] = [],
        scanning: String = "",
        questions: [DeviceQuestion] = []
    ) -> DaemonStatus {
        let scanning = ScanningDescription(effort: "none", interval: nil, reason: scanning, message: "Not scanned.")
        return DaemonStatus([
            "Version": .string("0.1.0"), "DeviceID": .string("0123456789abcdef"), "DeviceName": .string("Ann's laptop"),
            "RadioState": .string("ready"), "RadioMessage": .string(radio),
            "Advisories": .advisories(advisories.map { ($0[0], $0[1]) }), "Scanning": scanning.value,
            "Questions": DeviceQuestion.list(questions),
        ])
    }
}

extension Adapter {
    fileprivate static func sample(
        power: Power = .on,
        roles: Set<String> = ["central", "peripheral", "central-peripheral"],
        freeAdvertisements: Int = 3,
        isPlayingAudio: Bool = false
    ) -> Adapter {
        Adapter(
            path: "/org/bluez/hci0",
            incarnation: 1,
            address: BluetoothAddress("00:AA:01:00:00:00", kind: .public)!,
            alias: "Computer",
            power: power,
            isDiscovering: false,
            isDiscoveringForOthers: false,
            isPlayingAudio: isPlayingAudio,
            advertising: Advertising(active: 0, free: freeAdvertisements, honorsInterval: true),
            servesGATT: true,
            roles: roles,
            release: BlueZRelease(5, 79)
        )
    }
}
