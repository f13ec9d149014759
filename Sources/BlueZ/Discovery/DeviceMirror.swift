import DBus

/// Turns signals about devices into reports of what was heard.
///
/// Pure: signals in, reports out. The first packet of a device is in InterfacesAdded, later ones are in PropertiesChanged,
/// and devices that bluetoothd knew before are only in GetManagedObjects (bluez src/device.c); all three must be read.
struct DeviceMirror {
    /// How many devices are remembered between two packets; one that comes when all places are taken is reported when it
    /// appears, and its later packets are not.
    static let maximumDevices = 4096

    /// How many service-data entries of one device are looked at; a legacy advertisement has room for seven.
    static let maximumEntries = 8

    /// The most service data that an extended advertisement can carry in one field (Bluetooth Core, Vol 3, Part C, 11).
    static let maximumDataLength = 255

    /// "Not available" (Bluetooth Core, Vol 4, Part E, 7.7.65.2); also what emulated controllers say.
    private static let unknownRSSI: Int16 = 127

    private struct Entry {
        let address: DeviceAddress
        var serviceData: [String: [UInt8]]
        var rssi: Int8?
    }

    private let adapter: ObjectPath
    private var entries: [ObjectPath: Entry] = [:]

    /// How many devices are remembered.
    var count: Int { entries.count }

    /// A mirror of the devices of one adapter.
    init(adapter: ObjectPath) {
        self.adapter = adapter
    }

    /// Takes over what GetManagedObjects said.
    ///
    /// - Returns: reports of devices that somebody's discovery hears just now: only those have an RSSI, because
    ///   bluetoothd clears it when discovery stops (bluez src/adapter.c, discovery_cleanup).
    mutating func replace(with objects: [ObjectPath: InterfaceProperties]) -> [DeviceReport] {
        entries = [:]
        return objects.compactMap { path, interfaces in add(path, interfaces) }
    }

    /// Applies one signal.
    mutating func apply(_ change: ObjectChange) -> DeviceReport? {
        switch change {
        case .added(let path, let interfaces):
            return add(path, interfaces)
        case .removed(let path, let interfaces):
            if interfaces.contains(Names.device) { entries[path] = nil }
            return nil
        case .changed(let path, Names.device, let values, let invalidated):
            return update(path, values, invalidated)
        case .changed:
            return nil
        }
    }

    private mutating func add(_ path: ObjectPath, _ interfaces: InterfaceProperties) -> DeviceReport? {
        guard path.isDescendant(of: adapter), let properties = interfaces[Names.device] else { return nil }
        guard let kind = DeviceAddress.Kind(rawValue: properties["AddressType"]?.string ?? ""),
            let address = DeviceAddress(properties["Address"]?.string ?? "", kind: kind)
        else { return nil }
        let entry = Entry(
            address: address,
            serviceData: Self.serviceData(properties["ServiceData"]) ?? [:],
            rssi: Self.rssi(properties["RSSI"])
        )
        if entries[path] != nil || entries.count < Self.maximumDevices {
            entries[path] = entry
        }
        guard properties["RSSI"] != nil else { return nil }
        return report(path, entry, entry.serviceData)
    }

    private mutating func update(_ path: ObjectPath, _ values: [String: Value], _ invalidated: [String])
        -> DeviceReport?
    {
        guard var entry = entries[path] else { return nil }
        let before = entry.serviceData
        let heard = Self.serviceData(values["ServiceData"])
        if let heard { entry.serviceData = heard }
        if let rssi = values["RSSI"] { entry.rssi = Self.rssi(rssi) }
        if invalidated.contains("ServiceData") { entry.serviceData = [:] }
        entries[path] = entry
        guard heard != nil || values["RSSI"] != nil, !entry.serviceData.isEmpty else { return nil }
        return report(path, entry, Self.changedServiceData(in: entry.serviceData, since: before))
    }

    private func report(_ path: ObjectPath, _ entry: Entry, _ serviceData: [String: [UInt8]]) -> DeviceReport {
        DeviceReport(path: path, address: entry.address, serviceData: serviceData, rssi: entry.rssi)
    }

    /// Entries that are new or different; all of them when none is, which means that the packet was heard again.
    ///
    /// Without DuplicateData the dictionary keeps entries of earlier advertisements (bluez src/device.c,
    /// device_set_service_data), and those are not what was heard now.
    private static func changedServiceData(in now: [String: [UInt8]], since before: [String: [UInt8]]) -> [String:
        [UInt8]]
    {
        let changed = now.filter { before[$0.key] != $0.value }
        return changed.isEmpty ? now : changed
    }

    private static func serviceData(_ value: Value?) -> [String: [UInt8]]? {
        guard let dictionary = value?.stringDictionary else { return nil }
        var serviceData: [String: [UInt8]] = [:]
        for (uuid, value) in dictionary where serviceData.count < maximumEntries {
            guard case .bytes(let data) = value.unwrapped, data.count <= maximumDataLength else { continue }
            serviceData[uuid.lowercased()] = data
        }
        return serviceData
    }

    private static func rssi(_ value: Value?) -> Int8? {
        guard case .int16(let rssi)? = value?.unwrapped, rssi != unknownRSSI else { return nil }
        return Int8(exactly: rssi)
    }
}
