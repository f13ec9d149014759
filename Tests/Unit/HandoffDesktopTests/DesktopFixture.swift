import DBus
import HandoffBus
import HandoffClient
import HandoffDesktop
import HandoffModel

/// States of a desktop as a daemon's answers make them.
enum DesktopFixture {
    static let now = try? Timestamp("2026-11-22T12:00:00Z")
    static let laptop = HandoffName.device("0000000000000001")

    /// The properties of a daemon without problems.
    static let manager: [String: Value] = [
        "Version": .string(HandoffVersion.current), "RadioState": .string("ready"), "RadioMessage": .string("hci0"),
    ]

    /// A running daemon without problems, that trusts one device.
    static func running(
        _ entries: [(ObjectPath, [String: Value])] = [],
        manager: [String: Value] = [:],
        rules: [String: Value] = [:],
        devices: [(ObjectPath, [String: Value])] = [(laptop, ["Name": .string("laptop")])]
    ) -> DesktopState {
        var state = DesktopState()
        let objects =
            entries.map { entry($0.0, HandoffName.nearbyActivityInterface, $0.1) }
            + devices.map { entry($0.0, HandoffName.deviceInterface, $0.1) }
        let interfaces = ValueType.dictionary(key: .string, value: [String: Value].valueType)
        state.replaceDaemon(
            with: .running(
                DaemonMirror(
                    [.status, .rules, .nearby],
                    properties: [
                        HandoffName.managerInterface: Self.manager.merging(manager) { $1 },
                        HandoffName.rulesInterface: rules,
                    ],
                    objects: .dictionary(key: .objectPath, value: interfaces, objects)
                )
            )
        )
        return state
    }

    /// The properties of an activity that an app continues.
    static func nearby(_ number: UInt64, _ properties: [String: Value] = [:]) -> (ObjectPath, [String: Value]) {
        let usual: [String: Value] = [
            "Device": .objectPath(laptop), "DeviceName": .string("laptop"), "Type": .string("org.example.edit"),
            "OpensWith": .string("app"), "Application": .string("org.example.Editor"),
            "ApplicationName": .string("Editor"), "ApplicationIcon": .string("editor"), "FirstSeen": .uint64(number),
        ]
        return (HandoffName.nearbyActivity(number), usual.merging(properties) { $1 })
    }

    /// A signal of the daemon's list of objects, that an activity was added.
    static func added(_ nearby: (ObjectPath, [String: Value])) -> Signal {
        let interfaces = [HandoffName.nearbyActivityInterface.description: nearby.1]
        return list("InterfacesAdded", [.objectPath(nearby.0), interfaces.value])
    }

    /// A signal of the daemon's list of objects, that an activity was removed.
    static func removed(_ path: ObjectPath) -> Signal {
        let interfaces = [HandoffName.nearbyActivityInterface.description]
        return list("InterfacesRemoved", [.objectPath(path), interfaces.value])
    }

    /// A signal that properties have changed.
    static func changed(_ interface: InterfaceName, at path: ObjectPath, _ changes: [String: Value]) -> Signal {
        let arguments: [Value] = [.string(interface.description), changes.value, [String]().value]
        let properties: InterfaceName = "org.freedesktop.DBus.Properties"
        return Signal(path: path, interface: properties, member: "PropertiesChanged", arguments: arguments)
    }

    private static func list(_ member: MemberName, _ arguments: [Value]) -> Signal {
        let interface: InterfaceName = "org.freedesktop.DBus.ObjectManager"
        return Signal(path: HandoffName.root, interface: interface, member: member, arguments: arguments)
    }

    private static func entry(
        _ path: ObjectPath,
        _ interface: InterfaceName,
        _ properties: [String: Value]
    ) -> DictionaryEntry {
        DictionaryEntry(key: .objectPath(path), value: [interface.description: properties].value)
    }
}

extension MenuItem {
    /// The labels of the items that are directly below, `---` for lines; those that cannot be clicked in parentheses.
    var labels: [String] {
        children.map { item in
            if item.kind == .separator { return "---" }
            return item.command == nil && item.children.isEmpty ? "(\(item.label))" : item.label
        }
    }

    /// The item with a label.
    func item(_ label: String) -> MenuItem? { children.first { $0.label == label } }
}

extension DesktopState {
    /// Takes a signal as it comes from a follower, which has folded it.
    mutating func apply(_ signal: Signal) {
        var mirror = mirror
        mirror?.apply(signal)
        take(.signal(signal, mirror))
    }
}
