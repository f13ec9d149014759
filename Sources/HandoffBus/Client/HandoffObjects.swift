package import DBus

/// The daemon's objects on the bus at one moment.
package struct HandoffObjects: Sendable {
    /// An activity of this device.
    package struct LocalActivity: Hashable, Sendable {
        package let path: ObjectPath
        package let properties: [String: Value]

        /// The number that was assigned when it was created.
        var id: UInt64 { UInt64(path.lastElement) ?? 0 }
    }

    /// Activities of other devices, nearest first.
    package let nearby: [NearbyActivity]
    /// Trusted devices, ordered by name.
    package let devices: [TrustedDevice]
    /// Activities of this device, oldest first.
    package let activities: [LocalActivity]

    /// Parses the result of `GetManagedObjects`; unknown interfaces are ignored.
    package init(managedObjects: Value) {
        var nearby: [NearbyActivity] = []
        var devices: [TrustedDevice] = []
        var activities: [LocalActivity] = []
        guard case .dictionary(_, _, let objects) = managedObjects else {
            (self.nearby, self.devices, self.activities) = ([], [], [])
            return
        }
        for object in objects {
            guard case .objectPath(let path) = object.key, let interfaces = object.value.stringDictionary else {
                continue
            }
            if let properties = interfaces[HandoffName.nearbyActivityInterface.description]?.stringDictionary {
                nearby.append(NearbyActivity(path: path, properties))
            }
            if let properties = interfaces[HandoffName.deviceInterface.description]?.stringDictionary {
                devices.append(TrustedDevice(path: path, properties))
            }
            if let properties = interfaces[HandoffName.activityInterface.description]?.stringDictionary {
                activities.append(LocalActivity(path: path, properties: properties))
            }
        }
        self.nearby = nearby.sorted { ($0.signal, $1.id) > ($1.signal, $0.id) }
        self.devices = devices.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        self.activities = activities.sorted { ($0.id, $0.path) < ($1.id, $1.path) }
    }
}

/// An activity of another device, as exported by `org.handoffd.NearbyActivity1`.
package struct NearbyActivity: Hashable, Sendable {
    package let path: ObjectPath
    /// The number by which users refer to it.
    package let id: Int
    package let device: ObjectPath
    package let deviceName: String
    /// Empty when this device knows no type with that hash.
    package let type: String
    /// Ten hexadecimal digits.
    package let typeHash: String
    package let hasWebpage: Bool
    /// `app`, `browser` or `none`.
    package let opensWith: String
    /// The id of the app that would open it; empty when there is none.
    package let application: String
    /// The display name of that app.
    package let applicationName: String
    /// In dBm; nil when the radio does not report it.
    package let rssi: Int?
    /// Microseconds since 1970.
    package let firstSeen: UInt64
    /// Microseconds since 1970.
    package let lastSeen: UInt64

    /// The id of its device, 16 hexadecimal digits.
    package var deviceID: String { device.lastElement }

    /// The signal strength for sorting, an unknown one being the weakest.
    var signal: Int { rssi ?? .min }

    init(path: ObjectPath, _ properties: [String: Value]) {
        self.path = path
        id = Int(path.lastElement) ?? 0
        device = properties["Device"]?.objectPath ?? .root
        deviceName = properties["DeviceName"]?.string ?? ""
        type = properties["Type"]?.string ?? ""
        typeHash = properties["TypeHash"]?.string ?? ""
        opensWith = properties["OpensWith"]?.string ?? "none"
        application = properties["Application"]?.string ?? ""
        applicationName = properties["ApplicationName"]?.string ?? ""
        hasWebpage = properties["HasWebpage"]?.boolean ?? false
        let rssi = properties["RSSI"]?.int16 ?? NearbyActivityDescription.unknownRSSI
        self.rssi = rssi == NearbyActivityDescription.unknownRSSI ? nil : Int(rssi)
        firstSeen = properties["FirstSeen"]?.uint64 ?? 0
        lastSeen = properties["LastSeen"]?.uint64 ?? 0
    }
}

/// A trusted device, as exported by `org.handoffd.Device1`.
package struct TrustedDevice: Hashable, Sendable {
    package let path: ObjectPath
    /// 16 hexadecimal digits.
    package let id: String
    package let name: String
    /// The id of the device that trusted it first; empty when unknown.
    package let introducedBy: String
    /// 0 when unknown.
    package let protocolVersion: UInt32
    /// Microseconds since 1970, accurate to the hour when it was last seen in an earlier run of the daemon; 0 for
    /// never.
    package let lastSeen: UInt64

    init(path: ObjectPath, _ properties: [String: Value]) {
        self.path = path
        id = properties["ID"]?.string ?? path.lastElement
        name = properties["Name"]?.string ?? ""
        introducedBy = properties["IntroducedBy"]?.string ?? ""
        protocolVersion = properties["ProtocolVersion"]?.uint32 ?? 0
        lastSeen = properties["LastSeen"]?.uint64 ?? 0
    }
}

/// The daemon's state, as exported by `org.handoffd.Manager1`.
package struct DaemonStatus: Hashable, Sendable {
    package let version: String
    package let protocolVersion: UInt32
    package let deviceID: String
    package let deviceName: String
    /// `ready`, or the name of the reason why the radio cannot be used.
    package let radioState: String
    /// The radio's name when ready, otherwise what to do.
    package let radioMessage: String
    /// The advisories: pairs of a name and a sentence.
    package let advisories: [[String]]
    /// `/` when there is none.
    package let currentActivity: ObjectPath

    init(_ properties: [String: Value]) {
        version = properties["Version"]?.string ?? ""
        protocolVersion = properties["ProtocolVersion"]?.uint32 ?? 0
        deviceID = properties["DeviceID"]?.string ?? ""
        deviceName = properties["DeviceName"]?.string ?? ""
        radioState = properties["RadioState"]?.string ?? ""
        radioMessage = properties["RadioMessage"]?.string ?? ""
        currentActivity = properties["CurrentActivity"]?.objectPath ?? .root
        guard case .array(_, let pairs) = properties["Advisories"] else {
            advisories = []
            return
        }
        advisories = pairs.compactMap { pair in
            guard case .structure(let fields) = pair else { return nil }
            return fields.compactMap(\.string)
        }
    }
}
