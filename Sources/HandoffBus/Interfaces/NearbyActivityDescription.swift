package import DBus
package import HandoffModel

/// An activity of another device, as `org.handoffd.NearbyActivity1` tells it.
package struct NearbyActivityDescription: DescribedObject, Hashable {
    /// The signal strength that stands for "unknown", as in HCI (Bluetooth Core, Vol 4, Part E, 7.7.65.2).
    private static let unknownRSSI: Int16 = 127

    package let path: ObjectPath
    package var device = ObjectPath.root
    package var deviceName = ""
    /// Empty when this device knows no type with that hash.
    package var type = ""
    /// Eight hexadecimal digits.
    package var typeHash = ""
    package var hasWebpage = false
    package var hasDocument = false
    /// The kind of its launch target, as far as it is known before the activity is fetched: `app`, `browser`, `document`
    /// or `none`.
    package var opensWith = NearbyLaunchTarget.nothing.kind
    /// The id of the app that would open it; empty when there is none.
    package var application = ""
    /// The display name of that app.
    package var applicationName = ""
    /// The name or path of that app's icon; empty when there is none.
    package var applicationIcon = ""
    /// In dBm; nil when the radio does not report it.
    package var rssi: Int16?
    /// Microseconds since 1970.
    package var firstSeen: UInt64 = 0
    /// Microseconds since 1970.
    package var lastSeen: UInt64 = 0

    /// The number by which users refer to it.
    package var id: Int { Int(path.lastElement) ?? 0 }

    /// The id of its device, 16 hexadecimal digits.
    package var deviceID: String { device.lastElement }

    /// The signal strength for sorting, an unknown one being the weakest.
    var signal: Int16 { rssi ?? .min }

    /// Makes the description of an activity of which only its device and the hash of its type are known.
    package init(id: UInt64, of device: DeviceID, typeHash: ActivityTypeHash) {
        path = HandoffName.nearbyActivity(id)
        self.device = HandoffName.device(device.description)
        self.typeHash = typeHash.description
    }

    /// Reads the properties of the object at `path`; those that are absent or of another type are empty.
    package init(path: ObjectPath, _ properties: [String: Value]) {
        self.path = path
        read(properties)
    }

    /// Sets what would open it here.
    package mutating func set(_ target: NearbyLaunchTarget) {
        opensWith = target.kind
        application = target.app
        applicationName = target.name
        applicationIcon = target.icon
    }

    package static let properties = content + launchTarget + sightings

    private static let content: [DescribedProperty<NearbyActivityDescription>] = [
        DescribedProperty("Device", \.device, .constant, "the object of the device, with org.handoffd.Device1"),
        // It can change; Device1 signals that.
        DescribedProperty("DeviceName", \.deviceName, .silent, "the name of the device; Device1 reports changes"),
        DescribedProperty(
            "Type",
            \.type,
            .emitted,
            """
            the activity type; empty when this device knows no type with that hash: only the hash is advertised, and
            this device knows the types that apps here declare, and those of which an activity was created or fetched
            here
            """
        ),
        DescribedProperty(
            "TypeHash",
            \.typeHash,
            .constant,
            "the first 32 bits of the SHA-256 of the type, a zero byte and the team if there is one, 8 hex digits"
        ),
        DescribedProperty("HasWebpage", \.hasWebpage, .emitted, "whether a browser can continue it"),
        DescribedProperty(
            "HasDocument",
            \.hasDocument,
            .emitted,
            "whether it has a document, which an app for documents of its kind can open"
        ),
    ]

    private static let launchTarget: [DescribedProperty<NearbyActivityDescription>] = [
        DescribedProperty(
            "OpensWith",
            \.opensWith,
            .emitted,
            "what would open it here: app, browser, document or none"
        ),
        DescribedProperty(
            "Application",
            \.application,
            .emitted,
            "the id of the app that would open it; empty when there is none"
        ),
        DescribedProperty("ApplicationName", \.applicationName, .emitted, "the name of that app for people"),
        DescribedProperty(
            "ApplicationIcon",
            \.applicationIcon,
            .emitted,
            "the name or path of its icon; empty when it has none"
        ),
    ]

    private static let sightings: [DescribedProperty<NearbyActivityDescription>] = [
        DescribedProperty(
            "RSSI",
            \.rssi,
            .emitted,
            .int16,
            encode: { .int16($0 ?? unknownRSSI) },
            decode: { $0.int16.flatMap { $0 == unknownRSSI ? nil : $0 } },
            "the signal strength, in dBm; 127 when unknown"
        ),
        DescribedProperty(
            "FirstSeen",
            \.firstSeen,
            .constant,
            "when it was first heard, in microseconds since 1970 in UTC"
        ),
        DescribedProperty("LastSeen", \.lastSeen, .silent, "when it was last heard, in microseconds since 1970 in UTC"),
    ]
}
