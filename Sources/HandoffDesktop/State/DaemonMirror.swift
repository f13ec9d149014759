package import DBus
package import HandoffBus

/// What a running daemon has told: its properties and objects, kept up to date with its signals.
package struct DaemonMirror: Hashable, Sendable {
    /// The property that is left out: a list whose order changes while it is read helps nobody.
    private static let strength = "RSSI"

    private var manager: [String: Value]
    private var rulesProperties: [String: Value]
    private var nearbyProperties: [ObjectPath: [String: Value]] = [:]
    private var deviceProperties: [ObjectPath: [String: Value]] = [:]

    /// Makes a mirror of what the daemon has answered.
    ///
    /// - Parameters:
    ///   - manager: the properties of `org.handoffd.Manager1`.
    ///   - rules: those of `org.handoffd.Rules1`.
    ///   - objects: the reply of `GetManagedObjects`; what cannot be read in it is left out.
    package init(manager: [String: Value], rules: [String: Value], objects: Value) {
        self.manager = manager
        rulesProperties = rules
        for entry in objects.dictionary ?? [] {
            guard let path = entry.key.objectPath else { continue }
            add(path, entry.value)
        }
    }

    /// The daemon's state.
    package var status: DaemonStatus { DaemonStatus(manager) }

    /// What the person allows.
    package var rules: RulesStatus { RulesStatus(rulesProperties) }

    /// The trusted devices, by name.
    package var devices: [DeviceDescription] {
        deviceProperties.map { DeviceDescription(path: $0.key, $0.value) }
            .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// The activities of other devices, the one that was heard last first.
    package var nearby: [NearbyActivityDescription] {
        nearbyProperties.map { path, properties in
            var properties = properties
            // The daemon tells a new name of a device by the device's object only.
            let device = properties["Device"]?.objectPath.flatMap { deviceProperties[$0] }
            properties["DeviceName"] = device?["Name"] ?? properties["DeviceName"]
            return NearbyActivityDescription(path: path, properties)
        }
        .sorted { ($0.firstSeen, $0.id) > ($1.firstSeen, $1.id) }
    }

    /// Applies a signal of the daemon; any other one changes nothing.
    package mutating func apply(_ signal: Signal) {
        switch (signal.member, signal.arguments.count) {
        case ("InterfacesAdded", 2):
            guard let path = signal.arguments[0].objectPath else { return }
            add(path, signal.arguments[1])
        case ("InterfacesRemoved", 2):
            guard let path = signal.arguments[0].objectPath else { return }
            let names = signal.arguments[1].array?.compactMap(\.string) ?? []
            if names.contains(HandoffName.nearbyActivityInterface.description) { nearbyProperties[path] = nil }
            if names.contains(HandoffName.deviceInterface.description) { deviceProperties[path] = nil }
        case ("PropertiesChanged", 3):
            guard let interface = signal.arguments[0].string, let changes = signal.arguments[1].stringDictionary else {
                return
            }
            change(interface, of: signal.path, changes)
        default: break
        }
    }

    private mutating func add(_ path: ObjectPath, _ interfaces: Value) {
        let interfaces = interfaces.stringDictionary ?? [:]
        if let properties = interfaces[HandoffName.nearbyActivityInterface.description]?.stringDictionary {
            nearbyProperties[path] = properties.filter { $0.key != Self.strength }
        }
        if let properties = interfaces[HandoffName.deviceInterface.description]?.stringDictionary {
            deviceProperties[path] = properties
        }
    }

    private mutating func change(_ interface: String, of path: ObjectPath, _ changes: [String: Value]) {
        func merge(_ properties: inout [String: Value]?) { properties?.merge(changes) { $1 } }
        switch interface {
        case HandoffName.managerInterface.description: manager.merge(changes) { $1 }
        case HandoffName.rulesInterface.description: rulesProperties.merge(changes) { $1 }
        case HandoffName.nearbyActivityInterface.description:
            merge(&nearbyProperties[path])
            nearbyProperties[path]?[Self.strength] = nil
        case HandoffName.deviceInterface.description: merge(&deviceProperties[path])
        default: break
        }
    }
}
