package import DBus
package import HandoffModel

/// The properties of `org.handoffd.NearbyActivity1` for one activity of another device.
package struct NearbyActivityDescription: Hashable, Sendable {
    /// The signal strength that stands for "unknown", as in HCI (Bluetooth Core, Vol 4, Part E, 7.7.65.2).
    package static let unknownRSSI: Int16 = 127

    package let device: DeviceID
    package let deviceName: String
    /// The activity type, if this device knows one with that hash.
    package let type: ActivityType?
    package let typeHash: ActivityTypeHash
    package let hasWebpage: Bool
    /// The launch target, as far as it is known before the activity is fetched.
    package let launchTarget: NearbyLaunchTarget
    /// In dBm; ``unknownRSSI`` when the radio does not report it.
    package let rssi: Int16
    /// Microseconds since 1970.
    package let firstSeen: UInt64
    /// Microseconds since 1970.
    package let lastSeen: UInt64

    package init(
        device: DeviceID,
        deviceName: String,
        type: ActivityType?,
        typeHash: ActivityTypeHash,
        hasWebpage: Bool,
        launchTarget: NearbyLaunchTarget = .nothing,
        rssi: Int16,
        firstSeen: UInt64,
        lastSeen: UInt64
    ) {
        self.device = device
        self.deviceName = deviceName
        self.type = type
        self.typeHash = typeHash
        self.hasWebpage = hasWebpage
        self.launchTarget = launchTarget
        self.rssi = rssi
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }

    /// The properties that change while the object exists, by their names.
    package var changingProperties: [String: Value] {
        [
            "Type": .string(type?.rawValue ?? ""),
            "HasWebpage": .boolean(hasWebpage),
            "RSSI": .int16(rssi),
            "OpensWith": .string(launchTarget.kind),
            "Application": .string(launchTarget.app),
            "ApplicationName": .string(launchTarget.name),
            "ApplicationIcon": .string(launchTarget.icon),
        ]
    }
}

extension Interface {
    /// `org.handoffd.NearbyActivity1`.
    ///
    /// - Parameters:
    ///   - description: returns the present state of the entry.
    ///   - fetch: fetches the whole activity from its origin.
    ///   - handOver: hands the activity over to its launch target.
    package static func nearbyActivity(
        _ description: @escaping @Sendable () -> NearbyActivityDescription,
        fetch: @escaping @Sendable (BusName) async throws -> FetchedActivity,
        handOver: @escaping @Sendable (ContinuationOptions) async throws -> ContinuationResult
    ) -> Interface {
        let options = Argument(name: "options", type: [String: Value].valueType)
        let fetching = Method(
            name: "Fetch",
            inputs: [options],
            outputs: [Argument(name: "activity", type: [String: Value].valueType)]
        ) { invocation in
            let client = invocation.sender
            return .deferred { [ActivityCoding.value(of: try await fetch(client))] }
        }
        let continuation = Method(
            name: "Continue",
            inputs: [options],
            outputs: [Argument(name: "outcome", type: .string), Argument(name: "application", type: .string)]
        ) { invocation in
            let options = ContinuationOptions(invocation.arguments[0])
            return .deferred {
                let result = try await handOver(options)
                return [.string(result.outcome), .string(result.application)]
            }
        }
        return Interface(
            name: HandoffName.nearbyActivityInterface,
            methods: [fetching, continuation],
            properties: nearbyProperties(description)
        )
    }

    private static func nearbyProperties(
        _ description: @escaping @Sendable () -> NearbyActivityDescription
    ) -> [Property] {
        [
            Property(name: "Device", type: .objectPath, changes: .constant) {
                .objectPath(HandoffName.device(description().device.description))
            },
            // It can change; Device1 signals that.
            Property(name: "DeviceName", type: .string, changes: .silent) { .string(description().deviceName) },
            Property(name: "Type", type: .string, changes: .emitted) {
                .string(description().type?.rawValue ?? "")
            },
            Property(name: "TypeHash", type: .string, changes: .constant) {
                .string(description().typeHash.description)
            },
            Property(name: "HasWebpage", type: .boolean, changes: .emitted) { .boolean(description().hasWebpage) },
            launchTarget("OpensWith", description) { $0.kind },
            launchTarget("Application", description) { $0.app },
            launchTarget("ApplicationName", description) { $0.name },
            launchTarget("ApplicationIcon", description) { $0.icon },
            Property(name: "RSSI", type: .int16, changes: .emitted) { .int16(description().rssi) },
            Property(name: "FirstSeen", type: .uint64, changes: .constant) { .uint64(description().firstSeen) },
            Property(name: "LastSeen", type: .uint64, changes: .silent) { .uint64(description().lastSeen) },
        ]
    }

    private static func launchTarget(
        _ name: MemberName,
        _ description: @escaping @Sendable () -> NearbyActivityDescription,
        _ part: @escaping @Sendable (NearbyLaunchTarget) -> String
    ) -> Property {
        Property(name: name, type: .string, changes: .emitted) { .string(part(description().launchTarget)) }
    }
}
