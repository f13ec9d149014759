import Bluetooth
import DBus

/// The state of bluetoothd's adapters, kept up to date from its signals.
///
/// Pure: signals in, snapshots out. It stores only known properties, of at most ``maximumAdapters`` adapters, so that
/// no message on the bus can make it grow without bound.
struct AdapterMirror {
    /// More than any machine has; the kernel numbers adapters with 16 bits.
    static let maximumAdapters = 16

    /// What is stored for one adapter.
    private struct Entry {
        var incarnation: UInt64
        var adapter: [String: Value]
        var advertising: [String: Value]?
        var servesGATT: Bool
        /// Whether another program keeps discovery on.
        var isDiscoveringForOthers = false
    }

    private static let knownProperties: Set<String> = [
        "Address", "AddressType", "Powered", "PowerState", "Discovering", "Roles", "Version", "Connectable", "Alias",
        "ActiveInstances", "SupportedInstances", "SupportedFeatures", "SupportedCapabilities",
    ]

    /// The unique name of the connection that owns these objects; a restarted bluetoothd has another one.
    private(set) var owner: BusName?
    private var service = BlueZSnapshot.Service.unknown
    private var entries: [ObjectPath: Entry] = [:]
    private var incarnations: UInt64 = 0
    private var transports = SoundTransports()

    /// The current state.
    var snapshot: BlueZSnapshot {
        BlueZSnapshot(
            service: service,
            adapters: entries.compactMap(adapter).sorted { Self.precedes($0.name, $1.name) }
        )
    }

    /// Starts again with the bluetoothd that has this unique name; nil if bluetoothd is not running.
    mutating func follow(_ owner: BusName?) {
        self.owner = owner
        clear(owner == nil ? .absent : .unknown)
    }

    /// Records that bluetoothd is gone or refuses to answer, and drops all adapters.
    mutating func clear(_ service: BlueZSnapshot.Service) {
        self.service = service
        entries = [:]
        transports.removeAll()
    }

    /// Replaces the state with the answer of GetManagedObjects.
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
        transports.removeAll()
        for (path, interfaces) in objects {
            if let properties = interfaces[Names.mediaTransport] { transports.update(path, properties) }
        }
    }

    /// Records whether another program keeps discovery on; returns whether that is new.
    mutating func noteOtherDiscovery(_ isOn: Bool, on path: ObjectPath) -> Bool {
        guard let entry = entries[path], entry.isDiscoveringForOthers != isOn else { return false }
        entries[path]?.isDiscoveringForOthers = isOn
        return true
    }

    /// Applies one signal, unless it was sent by a bluetoothd other than the followed one.
    ///
    /// Signals of a bluetoothd that has just started may arrive before the change of owner, upon which all objects are
    /// read. If they were applied, its adapters would appear to have been lost in between.
    ///
    /// - Returns: whether GetManagedObjects should be called again. This is so when an adapter gained an interface: the
    ///   signals of property changes come through another subscription and may have arrived first.
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
        if let properties = interfaces[Names.mediaTransport] { transports.update(path, properties) }
        if let properties = interfaces[Names.adapter] {
            guard entries[path] != nil || entries.count < Self.maximumAdapters else { return false }
            // An adapter that is known already was read before its InterfacesAdded arrived: the signal is older.
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
        if interfaces.contains(Names.mediaTransport) { transports.remove(path) }
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
        if interface == Names.mediaTransport { return transports.update(path, values) }
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

    /// Keeps the incarnation of an adapter that was read again and, as far as is known, was powered all the time.
    private mutating func keepIncarnation(of before: Entry?, at path: ObjectPath) {
        guard let before, let entry = entries[path], Self.isPowered(before) || !Self.isPowered(entry) else { return }
        entries[path]?.incarnation = before.incarnation
        entries[path]?.isDiscoveringForOthers = before.isDiscoveringForOthers
    }

    private static func known(_ properties: [String: Value]) -> [String: Value] {
        properties.filter { knownProperties.contains($0.key) }
    }

    private static func isPowered(_ entry: Entry) -> Bool {
        entry.adapter["Powered"]?.boolean ?? false
    }

    private func adapter(_ path: ObjectPath, _ entry: Entry) -> Adapter? {
        let kind = BluetoothAddress.Kind(rawValue: entry.adapter["AddressType"]?.string ?? "") ?? .public
        guard let text = entry.adapter["Address"]?.string, let address = BluetoothAddress(text, kind: kind) else {
            return nil
        }
        return Adapter(
            path: path,
            incarnation: entry.incarnation,
            address: address,
            alias: entry.adapter["Alias"]?.string ?? "",
            power: Self.power(entry),
            isDiscovering: entry.adapter["Discovering"]?.boolean ?? false,
            isDiscoveringForOthers: entry.isDiscoveringForOthers,
            isPlayingAudio: transports.isPlaying(over: path),
            advertising: entry.advertising.map(Self.advertising),
            servesGATT: entry.servesGATT,
            roles: Set(entry.adapter["Roles"].flatMap { [String]($0) } ?? []),
            release: .oldest(withAdapterProperties: entry.adapter.keys)
        )
    }

    /// PowerState reports rfkill, and is absent in 5.66…5.72 without -E (bluez src/adapter.c).
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

    /// Orders hci2 before hci10.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        (one.utf8.count, one) < (other.utf8.count, other)
    }
}
