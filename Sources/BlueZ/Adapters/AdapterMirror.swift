import DBus

/// What bluetoothd's adapters look like, kept up to date from its signals.
///
/// Pure: signals in, snapshots out. It keeps only properties that it knows, of at most ``maximumAdapters`` adapters, so
/// that nothing on the bus can make it grow.
struct AdapterMirror {
    /// More than any machine has; the kernel numbers adapters with 16 bits.
    static let maximumAdapters = 16

    /// What is kept of one adapter.
    private struct Entry {
        var incarnation: UInt64
        var adapter: [String: Value]
        var advertising: [String: Value]?
        var servesGATT: Bool
    }

    private static let knownProperties: Set<String> = [
        "Address", "AddressType", "Powered", "PowerState", "Discovering", "Roles", "Version", "Connectable",
        "ActiveInstances", "SupportedInstances", "SupportedFeatures", "SupportedCapabilities",
    ]

    /// The connection whose objects these are: a bluetoothd that was restarted has another.
    private var owner: BusName?
    private var service = BlueZSnapshot.Service.unknown
    private var entries: [ObjectPath: Entry] = [:]
    private var incarnations: UInt64 = 0

    /// Everything as it is now.
    var snapshot: BlueZSnapshot {
        BlueZSnapshot(
            service: service,
            adapters: entries.compactMap(Self.adapter).sorted { Self.precedes($0.name, $1.name) }
        )
    }

    /// Begins anew with the bluetoothd that has this unique name; nil stands for none.
    mutating func follow(_ owner: BusName?) {
        self.owner = owner
        clear(owner == nil ? .absent : .unknown)
    }

    /// Takes note that bluetoothd is gone, or will not talk to us.
    mutating func clear(_ service: BlueZSnapshot.Service) {
        self.service = service
        entries = [:]
    }

    /// Takes over what GetManagedObjects said.
    mutating func replace(with objects: [ObjectPath: InterfaceProperties]) {
        service = .running
        for path in entries.keys where objects[path]?[Names.adapter] == nil {
            entries[path] = nil
        }
        for (path, interfaces) in objects where interfaces[Names.adapter] != nil {
            let before = entries.removeValue(forKey: path)
            _ = add(path, interfaces)
            keepIncarnation(of: before, at: path)
        }
    }

    /// Applies one signal, unless another bluetoothd has sent it than the one that is followed.
    ///
    /// The signals of one that has just come may be there before the news that it has come, with which everything is read: if
    /// they counted, its adapters would seem to have been lost in between.
    ///
    /// - Returns: whether GetManagedObjects should be asked again. So it is when an adapter gained an interface: the
    ///   signals of changes come by another road, and may have been there first.
    mutating func apply(_ change: ObjectChange, from sender: BusName? = nil) -> Bool {
        guard sender == owner else { return false }
        switch change {
        case .added(let path, let interfaces):
            return add(path, interfaces)
        case .removed(let path, let interfaces):
            remove(path, interfaces)
        case .changed(let path, let interface, let values, let invalidated):
            update(path, interface, values, invalidated)
        }
        return false
    }

    private mutating func add(_ path: ObjectPath, _ interfaces: InterfaceProperties) -> Bool {
        if let properties = interfaces[Names.adapter] {
            guard entries[path] != nil || entries.count < Self.maximumAdapters else { return false }
            // One that is there already was read before its announcement was: the announcement is older.
            incarnations += entries[path] == nil ? 1 : 0
            entries[path] = Entry(
                incarnation: entries[path]?.incarnation ?? incarnations,
                adapter: Self.known(properties),
                advertising: nil,
                servesGATT: false
            )
        }
        guard entries[path] != nil else { return false }
        if let properties = interfaces[Names.advertising] {
            entries[path]?.advertising = Self.known(properties)
        }
        if interfaces[Names.gattServer] != nil {
            entries[path]?.servesGATT = true
        }
        return true
    }

    private mutating func remove(_ path: ObjectPath, _ interfaces: [String]) {
        if interfaces.contains(Names.adapter) {
            entries[path] = nil
        }
        if interfaces.contains(Names.advertising) {
            entries[path]?.advertising = nil
        }
        if interfaces.contains(Names.gattServer) {
            entries[path]?.servesGATT = false
        }
    }

    private mutating func update(
        _ path: ObjectPath,
        _ interface: String,
        _ values: [String: Value],
        _ invalidated: [String]
    ) {
        guard var entry = entries[path] else { return }
        let wasPowered = Self.isPowered(entry)
        switch interface {
        case Names.adapter:
            entry.adapter.merge(Self.known(values)) { $1 }
            for name in invalidated { entry.adapter[name] = nil }
        case Names.advertising:
            entry.advertising?.merge(Self.known(values)) { $1 }
            for name in invalidated { entry.advertising?[name] = nil }
        default:
            return
        }
        if !wasPowered, Self.isPowered(entry) {
            incarnations += 1
            entry.incarnation = incarnations
        }
        entries[path] = entry
    }

    /// An adapter that was read again, and was on all the time as far as we know, is the same as before.
    private mutating func keepIncarnation(of before: Entry?, at path: ObjectPath) {
        guard let before, let entry = entries[path], Self.isPowered(before) || !Self.isPowered(entry) else { return }
        entries[path]?.incarnation = before.incarnation
    }

    private static func known(_ properties: [String: Value]) -> [String: Value] {
        properties.filter { knownProperties.contains($0.key) }
    }

    private static func isPowered(_ entry: Entry) -> Bool {
        entry.adapter["Powered"]?.boolean ?? false
    }

    private static func adapter(_ path: ObjectPath, _ entry: Entry) -> Adapter? {
        let kind = DeviceAddress.Kind(rawValue: entry.adapter["AddressType"]?.string ?? "") ?? .public
        guard let text = entry.adapter["Address"]?.string, let address = DeviceAddress(text, kind: kind) else {
            return nil
        }
        return Adapter(
            path: path,
            incarnation: entry.incarnation,
            address: address,
            power: power(entry),
            isDiscovering: entry.adapter["Discovering"]?.boolean ?? false,
            advertising: entry.advertising.map(advertising),
            servesGATT: entry.servesGATT,
            roles: Set(entry.adapter["Roles"].flatMap { [String]($0) } ?? []),
            release: .oldest(withAdapterProperties: entry.adapter.keys)
        )
    }

    /// PowerState tells about rfkill, and is not there in 5.66…5.72 without -E (bluez src/adapter.c).
    private static func power(_ entry: Entry) -> Adapter.Power {
        if entry.adapter["PowerState"]?.string == "off-blocked" { return .blocked }
        return isPowered(entry) ? .on : .off
    }

    private static func advertising(_ properties: [String: Value]) -> Adapter.Advertising {
        Adapter.Advertising(
            active: count(properties["ActiveInstances"]),
            free: count(properties["SupportedInstances"]),
            honorsInterval: properties["SupportedFeatures"] != nil || properties["SupportedCapabilities"] != nil
        )
    }

    private static func count(_ value: Value?) -> Int {
        guard case .byte(let count)? = value else { return 0 }
        return Int(count)
    }

    /// hci2 comes before hci10.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        (one.utf8.count, one) < (other.utf8.count, other)
    }
}
