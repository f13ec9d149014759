import ArgumentParser
import DBus
import HandoffBus

/// `handoffctl status`: shows whether everything works, and what to do if not.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether everything works, and what to do if not."
    )

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.withClient { client, output in
            let status = try await client.status()
            let objects = try await client.objects()
            try output.print(StatusDocument(status, objects), Self.text(status, objects))
        }
    }

    private static func text(_ status: DaemonStatus, _ objects: HandoffObjects) -> String {
        var table = Table("handoffd", status.version)
        table.append("this device", "\(printable(status.deviceName)) (\(status.deviceID))")
        table.append(
            "radio",
            status.radioState == "ready" ? "ready (\(printable(status.radioMessage)))" : radioWords(status.radioState)
        )
        table.append("current activity", Self.current(status, objects))
        table.append("trusted devices", "\(objects.devices.count)")
        table.append("nearby activities", "\(objects.nearby.count)")
        var lines = [table.text]
        if status.radioState != "ready" { lines.append("\n" + printable(status.radioMessage)) }
        for advisory in status.advisories {
            lines.append("\n" + printable("\(advisory.name): \(advisory.message)"))
        }
        if objects.devices.isEmpty { lines.append("\n" + Self.noDevicesHint) }
        return lines.joined(separator: "\n")
    }

    private static func current(_ status: DaemonStatus, _ objects: HandoffObjects) -> String {
        guard let type = objects.type(of: status.currentActivity) else { return "none" }
        return status.advisories.contains { $0.name == "withheld" } ? "\(type) (not offered now)" : type
    }

    /// The state of a radio that does not work, in words for people; the sentence about it follows.
    private static func radioWords(_ state: String) -> String {
        switch state {
        case "NoBluetoothService": "no bluetoothd"
        case "NoAdapter": "no adapter"
        case "BluetoothOff": "switched off"
        case "BluetoothBlocked": "blocked"
        default: "unavailable"
        }
    }

    private static let noDevicesHint =
        "No device is trusted yet, so nothing is advertised or scanned: run `handoffctl pair` here and on another one."
}

extension HandoffObjects {
    /// The type of an activity of this device; nil if there is no such activity.
    fileprivate func type(of activity: ObjectPath) -> String? {
        activities.first { $0.path == activity }?.properties["Type"]?.string
    }
}

/// What `handoffctl status --json` prints.
struct StatusDocument: Encodable {
    struct Advisory: Encodable {
        let name: String
        let message: String
    }

    let version: String
    let protocolVersion: UInt32
    let deviceID: String
    let deviceName: String
    let radioState: String
    let radioMessage: String
    let advisories: [Advisory]
    let currentActivity: String?
    let currentActivityType: String?
    let trustedDevices: Int
    let nearbyActivities: Int

    init(_ status: DaemonStatus, _ objects: HandoffObjects) {
        version = status.version
        protocolVersion = status.protocolVersion
        deviceID = status.deviceID
        deviceName = status.deviceName
        radioState = status.radioState
        radioMessage = status.radioMessage
        advisories = status.advisories.map { Advisory(name: $0.name, message: $0.message) }
        currentActivity = status.currentActivity == .root ? nil : status.currentActivity.description
        currentActivityType = objects.type(of: status.currentActivity)
        trustedDevices = objects.devices.count
        nearbyActivities = objects.nearby.count
    }
}
