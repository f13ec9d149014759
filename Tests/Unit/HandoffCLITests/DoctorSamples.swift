@testable import BlueZ
import Bluetooth
import DBus

@testable import HandoffBus
@testable import HandoffCLI
import HandoffModel

extension DoctorFacts {
    static let healthy = DoctorFacts(
        toolVersion: "0.1.0",
        daemon: .running(.healthy()),
        unit: Unit(fileState: "enabled", activeState: "active"),
        stateDirectory: SystemFiles.StateDirectory(
            path: "/home/ann/.local/state/handoff",
            hasIdentity: true,
            mode: 0o700,
            belongsToUser: true
        ),
        bluetooth: .running([.sample()]),
        bluetoothVersion: BlueZRelease(5, 82),
        adapterName: "hci0",
        isSuspendedWhenIdle: false,
        advertisement: .accepted,
        discovery: .accepted,
        channels: .accepted,
        isClockSynchronized: true,
        inotifyInstances: 128,
        hasNotificationServer: true,
        notifiesWithButtons: true,
        opensWebpages: true,
        defaultBrowser: "firefox-esr",
        // An hour after the other device was last heard.
        time: Timestamp(microseconds: 1_795_003_600_000_000)!
    )

    /// Changes what the daemon has told.
    mutating func answers(_ change: (inout Answers) -> Void) {
        guard case .running(var answers) = daemon else { return }
        change(&answers)
        daemon = .running(answers)
    }
}

extension DoctorFacts.Answers {
    static func healthy(_ status: DaemonStatus = .sample()) -> Self {
        Self(status: status, devices: [.sample("Desktop", lastSeen: 1_795_000_000_000_000)])
    }
}

extension DeviceDescription {
    static func sample(_ name: String, lastSeen: UInt64) -> DeviceDescription {
        var device = DeviceDescription(id: "00000000000000ff")
        device.name = name
        device.protocolVersion = 2
        device.lastSeen = lastSeen
        return device
    }
}

extension DaemonStatus {
    static func sample(
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
    static func sample(
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
