package import DBus
package import HandoffModel

/// An activity of another device, as exported by `org.handoffd.NearbyActivity1`.
package struct NearbyActivityDescription: Hashable, Sendable {
    /// The signal strength that stands for "unknown", as in HCI (Bluetooth Core, Vol 4, Part E, 7.7.65.2).
    private static let unknownRSSI: Int16 = 127

    package let path: ObjectPath
    package let device: ObjectPath
    package let deviceName: String
    /// Empty when this device knows no type with that hash.
    package let type: String
    /// Eight hexadecimal digits.
    package let typeHash: String
    package let hasWebpage: Bool
    package let hasDocument: Bool
    /// The kind of its launch target, as far as it is known before the activity is fetched: `app`, `browser`, `document`
    /// or `none`.
    package let opensWith: String
    /// The id of the app that would open it; empty when there is none.
    package let application: String
    /// The display name of that app.
    package let applicationName: String
    /// The name or path of that app's icon; empty when there is none.
    package let applicationIcon: String
    /// In dBm; nil when the radio does not report it.
    package let rssi: Int16?
    /// Microseconds since 1970.
    package let firstSeen: UInt64
    /// Microseconds since 1970.
    package let lastSeen: UInt64

    /// The number by which users refer to it.
    package var id: Int { Int(path.lastElement) ?? 0 }

    /// The id of its device, 16 hexadecimal digits.
    package var deviceID: String { device.lastElement }

    /// The signal strength for sorting, an unknown one being the weakest.
    var signal: Int16 { rssi ?? .min }

    package init(
        id: UInt64,
        device: DeviceID,
        deviceName: String,
        type: ActivityType?,
        typeHash: ActivityTypeHash,
        hasWebpage: Bool,
        hasDocument: Bool = false,
        launchTarget: NearbyLaunchTarget = .nothing,
        rssi: Int16?,
        firstSeen: UInt64,
        lastSeen: UInt64
    ) {
        path = HandoffName.nearbyActivity(id)
        self.device = HandoffName.device(device.description)
        self.deviceName = deviceName
        self.type = type?.rawValue ?? ""
        self.typeHash = typeHash.description
        self.hasWebpage = hasWebpage
        self.hasDocument = hasDocument
        opensWith = launchTarget.kind
        application = launchTarget.app
        applicationName = launchTarget.name
        applicationIcon = launchTarget.icon
        self.rssi = rssi
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }

    /// Reads the properties of the object at `path`; those that are absent or of another type are empty.
    package init(path: ObjectPath, _ properties: [String: Value]) {
        self.path = path
        device = properties["Device"]?.objectPath ?? .root
        deviceName = properties["DeviceName"]?.string ?? ""
        type = properties["Type"]?.string ?? ""
        typeHash = properties["TypeHash"]?.string ?? ""
        hasWebpage = properties["HasWebpage"]?.boolean ?? false
        hasDocument = properties["HasDocument"]?.boolean ?? false
        opensWith = properties["OpensWith"]?.string ?? NearbyLaunchTarget.nothing.kind
        application = properties["Application"]?.string ?? ""
        applicationName = properties["ApplicationName"]?.string ?? ""
        applicationIcon = properties["ApplicationIcon"]?.string ?? ""
        let rssi = properties["RSSI"]?.int16
        self.rssi = rssi == Self.unknownRSSI ? nil : rssi
        firstSeen = properties["FirstSeen"]?.uint64 ?? 0
        lastSeen = properties["LastSeen"]?.uint64 ?? 0
    }

    /// The properties that change while the object exists, by their names.
    package var changingProperties: [String: Value] { Self.properties.changing(in: self) }

    fileprivate static let properties: [DescribedProperty<NearbyActivityDescription>] = [
        DescribedProperty("Device", .objectPath, .constant) { .objectPath($0.device) },
        // It can change; Device1 signals that.
        DescribedProperty("DeviceName", .string, .silent) { .string($0.deviceName) },
        DescribedProperty("Type", .string, .emitted) { .string($0.type) },
        DescribedProperty("TypeHash", .string, .constant) { .string($0.typeHash) },
        DescribedProperty("HasWebpage", .boolean, .emitted) { .boolean($0.hasWebpage) },
        DescribedProperty("HasDocument", .boolean, .emitted) { .boolean($0.hasDocument) },
        DescribedProperty("OpensWith", .string, .emitted) { .string($0.opensWith) },
        DescribedProperty("Application", .string, .emitted) { .string($0.application) },
        DescribedProperty("ApplicationName", .string, .emitted) { .string($0.applicationName) },
        DescribedProperty("ApplicationIcon", .string, .emitted) { .string($0.applicationIcon) },
        DescribedProperty("RSSI", .int16, .emitted) { .int16($0.rssi ?? unknownRSSI) },
        DescribedProperty("FirstSeen", .uint64, .constant) { .uint64($0.firstSeen) },
        DescribedProperty("LastSeen", .uint64, .silent) { .uint64($0.lastSeen) },
    ]
}

extension Interface {
    /// `org.handoffd.NearbyActivity1`.
    ///
    /// - Parameters:
    ///   - description: returns the present state of the entry.
    ///   - fetch: returns what fetches the whole activity from its origin.
    ///   - handOver: returns what hands the activity over to its launch target.
    ///   - cancel: cancels the calls of that client that are in progress.
    ///
    /// Each is called when the call arrives, in the order of the client's calls.
    package static func nearbyActivity(
        _ description: @escaping @Sendable () -> NearbyActivityDescription,
        fetch: @escaping @Sendable (Caller, FetchOptions) -> @Sendable () async throws -> FetchedActivity,
        handOver: @escaping @Sendable (Caller, ContinuationOptions) -> @Sendable () async throws -> ContinuationResult,
        cancel: @escaping @Sendable (BusName) -> Void
    ) -> Interface {
        let fetching = Method(
            name: "Fetch",
            inputs: [.options],
            outputs: [Argument(name: "activity", type: [String: Value].valueType)]
        ) { invocation in
            let fetched = fetch(Caller(invocation), FetchOptions(invocation.arguments[0]))
            return .deferred { [ActivityCoding.value(of: try await fetched())] }
        }
        let continuation = Method(
            name: "Continue",
            inputs: [.options],
            outputs: [Argument(name: "outcome", type: .string), Argument(name: "application", type: .string)]
        ) { invocation in
            let continued = handOver(Caller(invocation), ContinuationOptions(invocation.arguments[0]))
            return .deferred {
                let result = try await continued()
                return [.string(result.outcome), .string(result.application)]
            }
        }
        let cancelling = Method(name: "Cancel", inputs: [.options]) { invocation in
            cancel(invocation.sender)
            return .reply([])
        }
        return Interface(
            name: HandoffName.nearbyActivityInterface,
            methods: [fetching, continuation, cancelling],
            properties: NearbyActivityDescription.properties.map { $0.property(of: description) },
            signals: NearbyActivityEvent.descriptions
        ).annotatedForCodeGenerators()
    }
}
