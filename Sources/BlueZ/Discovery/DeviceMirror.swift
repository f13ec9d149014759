import Bluetooth
import DBus

/// Converts signals about devices into advertisement reports.
///
/// Pure: signals in, reports out. The first packet of a device is in InterfacesAdded, later ones are in
/// PropertiesChanged, and devices that bluetoothd knew before are only in GetManagedObjects (bluez src/device.c). That
/// answer is needed when discovery was on before, or when one of these devices is heard.
struct DeviceMirror {
    /// The maximum number of devices remembered between packets.
    ///
    /// A device beyond it displaces others: those without service data first, and then those not heard for longest. A
    /// displaced device is reported again when bluetoothd reports it as new.
    static let maximumDevices = 4096

    /// How many devices are displaced at once, so that their order is found once for many new devices.
    static let displacedDevices = 256

    /// The maximum number of service-data entries read per device; a legacy advertisement has room for seven.
    static let maximumEntries = 8

    /// The maximum length in bytes of the service data in one field of an extended advertisement (Bluetooth Core, Vol
    /// 3, Part C, 11).
    static let maximumDataLength = 255

    /// "Not available" (Bluetooth Core, Vol 4, Part E, 7.7.65.2); emulated controllers report it, too.
    private static let unknownRSSI: Int16 = 127

    private struct Entry {
        let address: BluetoothAddress
        var serviceData: [BluetoothUUID: [UInt8]]
        var rssi: Int8?
        /// The number of the signal that reported it last.
        var lastSignal: UInt64
    }

    private let adapter: ObjectPath
    private var entries: [ObjectPath: Entry] = [:]
    private var signals: UInt64 = 0
    private var hasObjects = false

    /// The number of remembered devices.
    var count: Int { entries.count }

    /// Creates an empty mirror of the devices of one adapter.
    init(adapter: ObjectPath) {
        self.adapter = adapter
    }

    /// Replaces the devices with those of the answer of GetManagedObjects.
    ///
    /// - Returns: reports of the devices that a running discovery has found: only those have an RSSI, because
    ///   bluetoothd clears it when discovery stops (bluez src/adapter.c, discovery_cleanup).
    mutating func replace(with objects: [ObjectPath: InterfaceProperties]) -> [DeviceReport] {
        entries = [:]
        hasObjects = true
        return objects.compactMap { path, interfaces in add(path, interfaces) }
    }

    /// Whether a packet came from a device that bluetoothd knew before: ``add(known:)`` has to precede ``apply(_:)``.
    ///
    /// Not asked for a second time: a device that is unknown in spite of the answer stays unknown.
    func needsObjects(for change: ObjectChange) -> Bool {
        guard !hasObjects, case .changed(let path, Names.device, let values, _) = change else { return false }
        let isPacket = values["RSSI"] != nil || values["ServiceData"] != nil
        return isPacket && path.isDescendant(of: adapter) && entries[path] == nil
    }

    /// Adds the devices of the answer of GetManagedObjects that are not known yet.
    ///
    /// Reports none: which of them were heard just now is not in the answer.
    mutating func add(known objects: [ObjectPath: InterfaceProperties]) {
        hasObjects = true
        for (path, interfaces) in objects where entries[path] == nil { _ = add(path, interfaces) }
    }

    /// Applies one signal; returns a report if it indicates a received packet.
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
        guard let kind = BluetoothAddress.Kind(rawValue: properties["AddressType"]?.string ?? ""),
            let address = BluetoothAddress(properties["Address"]?.string ?? "", kind: kind)
        else { return nil }
        let entry = Entry(
            address: address,
            serviceData: Self.serviceData(properties["ServiceData"]) ?? [:],
            rssi: Self.rssi(properties["RSSI"]),
            lastSignal: nextSignal()
        )
        if entries[path] == nil, entries.count >= Self.maximumDevices { displaceOldest() }
        entries[path] = entry
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
        entry.lastSignal = nextSignal()
        entries[path] = entry
        guard heard != nil || values["RSSI"] != nil, !entry.serviceData.isEmpty else { return nil }
        return report(path, entry, Self.changedServiceData(in: entry.serviceData, since: before))
    }

    private mutating func nextSignal() -> UInt64 {
        signals += 1
        return signals
    }

    private mutating func displaceOldest() {
        func rank(_ entry: Entry) -> (Int, UInt64) { (entry.serviceData.isEmpty ? 0 : 1, entry.lastSignal) }
        for (path, _) in entries.sorted(by: { rank($0.value) < rank($1.value) }).prefix(Self.displacedDevices) {
            entries[path] = nil
        }
    }

    private func report(_ path: ObjectPath, _ entry: Entry, _ serviceData: [BluetoothUUID: [UInt8]]) -> DeviceReport {
        DeviceReport(path: path, address: entry.address, serviceData: serviceData, rssi: entry.rssi)
    }

    /// Returns the entries that are new or changed; all of them if none is, which means that the same packet was
    /// received again.
    ///
    /// Without DuplicateData the dictionary keeps entries of earlier advertisements (bluez src/device.c,
    /// device_set_service_data), which were not received now.
    private static func changedServiceData(
        in now: [BluetoothUUID: [UInt8]],
        since before: [BluetoothUUID: [UInt8]]
    ) -> [BluetoothUUID: [UInt8]] {
        let changed = now.filter { before[$0.key] != $0.value }
        return changed.isEmpty ? now : changed
    }

    private static func serviceData(_ value: Value?) -> [BluetoothUUID: [UInt8]]? {
        guard let dictionary = value?.stringDictionary else { return nil }
        var serviceData: [BluetoothUUID: [UInt8]] = [:]
        for (text, value) in dictionary where serviceData.count < maximumEntries {
            guard let uuid = BluetoothUUID(text), case .bytes(let data) = value.unwrapped,
                data.count <= maximumDataLength
            else { continue }
            serviceData[uuid] = data
        }
        return serviceData
    }

    private static func rssi(_ value: Value?) -> Int8? {
        guard case .int16(let rssi)? = value?.unwrapped, rssi != unknownRSSI else { return nil }
        return Int8(exactly: rssi)
    }
}
