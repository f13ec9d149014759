import DBus

/// The interfaces of one object with their properties, without the variants around the values.
typealias InterfaceProperties = [String: [String: Value]]

/// The D-Bus names that more than one file uses.
enum Names {
    static let service: BusName = "org.bluez"
    static let root: ObjectPath = "/"
    static let adapter = "org.bluez.Adapter1"
    static let advertising = "org.bluez.LEAdvertisingManager1"
    static let gattServer = "org.bluez.GattManager1"
    static let device = "org.bluez.Device1"
    static let mediaTransport = "org.bluez.MediaTransport1"
    static let gattService = "org.bluez.GattService1"
    static let gattCharacteristic = "org.bluez.GattCharacteristic1"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
}

/// A change to the objects of bluetoothd, parsed from a signal.
enum ObjectChange {
    case added(ObjectPath, InterfaceProperties)
    case removed(ObjectPath, interfaces: [String])
    case changed(ObjectPath, interface: String, values: [String: Value], invalidated: [String])

    /// Parses InterfacesAdded, InterfacesRemoved or PropertiesChanged; nil for any other or malformed signal.
    init?(_ signal: Signal) {
        let arguments = signal.arguments
        switch (signal.interface.description, signal.member.description, arguments.count) {
        case (Names.objectManager, "InterfacesAdded", 2):
            guard case .objectPath(let path) = arguments[0] else { return nil }
            self = .added(path, interfaceProperties(arguments[1]))
        case (Names.objectManager, "InterfacesRemoved", 2):
            guard case .objectPath(let path) = arguments[0], let interfaces = [String](arguments[1]) else { return nil }
            self = .removed(path, interfaces: interfaces)
        case (Names.properties, "PropertiesChanged", 3):
            guard let interface = arguments[0].string, let values = arguments[1].stringDictionary,
                let invalidated = [String](arguments[2])
            else { return nil }
            self = .changed(signal.path, interface: interface, values: values, invalidated: invalidated)
        default:
            return nil
        }
    }
}

/// Parses `a{oa{sa{sv}}}`, the answer of GetManagedObjects; malformed entries are omitted.
func objectProperties(_ value: Value) -> [ObjectPath: InterfaceProperties] {
    guard case .dictionary(_, _, let entries) = value else { return [:] }
    var objects: [ObjectPath: InterfaceProperties] = [:]
    for entry in entries {
        guard case .objectPath(let path) = entry.key else { continue }
        objects[path] = interfaceProperties(entry.value)
    }
    return objects
}

/// Parses `a{sa{sv}}`; malformed entries are omitted.
func interfaceProperties(_ value: Value) -> InterfaceProperties {
    guard case .dictionary(_, _, let entries) = value else { return [:] }
    var interfaces: InterfaceProperties = [:]
    for entry in entries {
        guard let name = entry.key.string else { continue }
        interfaces[name] = entry.value.stringDictionary ?? [:]
    }
    return interfaces
}
