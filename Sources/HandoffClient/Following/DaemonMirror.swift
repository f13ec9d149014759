package import DBus
package import HandoffBus

/// What a running daemon has told: its properties and objects, kept up to date with its signals.
package struct DaemonMirror: Hashable, Sendable {
    /// A part of what a daemon tells.
    package struct Contents: OptionSet, Hashable, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The daemon's state.
        package static let status = Contents(rawValue: 1 << 0)
        /// What the person allows.
        package static let rules = Contents(rawValue: 1 << 1)
        /// The devices with which a pairing is unconfirmed.
        package static let unconfirmed = Contents(rawValue: 1 << 2)
        package static let apps = Contents(rawValue: 1 << 3)
        /// The activities of other devices, and the trusted devices.
        package static let nearby = Contents(rawValue: 1 << 4)
        /// With ``nearby``: how near its activities are, which changes all the time.
        package static let distances = Contents(rawValue: 1 << 5)
        /// The activities of this device.
        package static let activities = Contents(rawValue: 1 << 6)
        /// When devices were seen last, which no signal tells: it is read again after those that say that it may differ.
        package static let times = Contents(rawValue: 1 << 7)

        /// Everything.
        package static let all: Contents = [.status, .rules, .unconfirmed, .apps, .objects]

        /// The daemon's own interfaces of these parts.
        var interfaces: [InterfaceName] {
            let all: [(Contents, InterfaceName)] = [
                (.status, HandoffName.managerInterface), (.rules, HandoffName.rulesInterface),
                (.unconfirmed, HandoffName.pairingInterface),
            ]
            return all.filter { contains($0.0) }.map(\.1)
        }

        /// Everything that is in the daemon's list of objects.
        package static let objects: Contents = [.nearby, .distances, .activities, .times]
    }

    /// The property that changes all the time.
    private static let strength = "RSSI"

    /// What is mirrored.
    package let contents: Contents
    /// The apps that continue activities.
    package private(set) var apps: [AppDescription]
    /// The daemon's own properties, by interface.
    private var properties: [String: [String: Value]]
    /// The properties of its objects, by interface.
    private var objectProperties: [ObjectPath: [String: [String: Value]]] = [:]

    /// Makes a mirror of what the daemon has answered; what cannot be read in it is left out.
    ///
    /// - Parameters:
    ///   - contents: what is mirrored.
    ///   - properties: those of the daemon's own interfaces.
    ///   - objects: the reply of `GetManagedObjects`.
    ///   - apps: the apps that continue activities.
    package init(
        _ contents: Contents,
        properties: [InterfaceName: [String: Value]] = [:],
        objects: Value? = nil,
        apps: [AppDescription] = []
    ) {
        (self.contents, self.apps) = (contents, apps)
        self.properties = Dictionary(uniqueKeysWithValues: properties.map { ($0.key.description, $0.value) })
        for entry in objects?.dictionary ?? [] {
            guard let path = entry.key.objectPath else { continue }
            add(path, entry.value)
        }
    }

    /// The daemon's state.
    package var status: DaemonStatus { DaemonStatus(own(HandoffName.managerInterface)) }

    /// What the person allows.
    package var rules: RulesStatus { RulesStatus(own(HandoffName.rulesInterface)) }

    /// Whether the daemon knows rules; one of another version may not.
    package var hasRules: Bool { properties[HandoffName.rulesInterface.description] != nil }

    /// The devices with which a pairing is unconfirmed.
    package var unconfirmed: [UnconfirmedDevice] {
        let value = own(HandoffName.pairingInterface)[PairingInterface.unconfirmed.name.description]
        return value?.dictionaries.map(UnconfirmedDevice.init) ?? []
    }

    /// The daemon's objects.
    package var objects: HandoffObjects {
        HandoffObjects(
            objectProperties.mapValues { interfaces in
                let nearby = HandoffName.nearbyActivityInterface.description
                guard let device = interfaces[nearby]?["Device"]?.objectPath,
                    let name = objectProperties[device]?[HandoffName.deviceInterface.description]?["Name"]
                else { return interfaces }
                // The daemon tells a new name of a device by the device's object only.
                var interfaces = interfaces
                interfaces[nearby]?["DeviceName"] = name
                return interfaces
            }
        )
    }

    /// The trusted devices, by name.
    package var devices: [DeviceDescription] { objects.devices }

    /// Applies a signal of the daemon; any other one changes nothing.
    package mutating func apply(_ signal: Signal) {
        switch (signal.member, signal.arguments.count) {
        case ("InterfacesAdded", 2):
            guard let path = signal.arguments[0].objectPath else { return }
            add(path, signal.arguments[1])
        case ("InterfacesRemoved", 2):
            guard let path = signal.arguments[0].objectPath else { return }
            for name in signal.arguments[1].array?.compactMap(\.string) ?? [] { objectProperties[path]?[name] = nil }
            if objectProperties[path]?.isEmpty == true { objectProperties[path] = nil }
        case ("PropertiesChanged", 3):
            guard let interface = signal.arguments[0].string, let changes = signal.arguments[1].stringDictionary else {
                return
            }
            if signal.path == HandoffName.root {
                properties[interface]?.merge(changes) { $1 }
            } else {
                let told = told(interface, changes)
                objectProperties[signal.path]?[interface]?.merge(told) { $1 }
            }
        default: break
        }
    }

    /// Replaces what was read again.
    mutating func replace(_ parts: Contents, with read: DaemonMirror) {
        for interface in parts.interfaces.map(\.description) { properties[interface] = read.properties[interface] }
        if !parts.isDisjoint(with: .objects) { objectProperties = read.objectProperties }
        if parts.contains(.apps) { apps = read.apps }
    }

    /// Returns the parts that have to be read again after a signal, which does not tell what they are now.
    func stale(after signal: Signal) -> Contents {
        if signal.interface == HandoffName.appsInterface { return contents.intersection(.apps) }
        let interface = HandoffName.deviceInterface.description
        // A device was heard for the first time in this run, or not any more.
        let isDevice = signal.member == "PropertiesChanged" && signal.arguments.first?.string == interface
        guard contents.contains(.times), isDevice || signal.member == "InterfacesRemoved" else { return [] }
        return contents.intersection(.objects)
    }

    private func own(_ interface: InterfaceName) -> [String: Value] { properties[interface.description] ?? [:] }

    private mutating func add(_ path: ObjectPath, _ interfaces: Value) {
        for (interface, properties) in interfaces.stringDictionary ?? [:] where isMirrored(interface) {
            guard let properties = properties.stringDictionary else { continue }
            objectProperties[path, default: [:]][interface] = told(interface, properties)
        }
    }

    private func isMirrored(_ interface: String) -> Bool {
        switch interface {
        case HandoffName.nearbyActivityInterface.description, HandoffName.deviceInterface.description:
            contents.contains(.nearby)
        case HandoffName.activityInterface.description: contents.contains(.activities)
        default: false
        }
    }

    /// Returns the properties without those that are left out.
    private func told(_ interface: String, _ properties: [String: Value]) -> [String: Value] {
        let isWhole = contents.contains(.distances) || interface != HandoffName.nearbyActivityInterface.description
        return isWhole ? properties : properties.filter { $0.key != Self.strength }
    }
}
