package import DBus

/// A trusted device, as exported by `org.handoffd.Device1`.
package struct DeviceDescription: Hashable, Sendable {
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

    package init(id: String, name: String, introducedBy: String, protocolVersion: UInt32, lastSeen: UInt64) {
        path = HandoffName.device(id)
        self.id = id
        self.name = name
        self.introducedBy = introducedBy
        self.protocolVersion = protocolVersion
        self.lastSeen = lastSeen
    }

    /// Reads the properties of the object at `path`; those that are absent or of another type are empty.
    package init(path: ObjectPath, _ properties: [String: Value]) {
        self.path = path
        id = properties["ID"]?.string ?? path.lastElement
        name = properties["Name"]?.string ?? ""
        introducedBy = properties["IntroducedBy"]?.string ?? ""
        protocolVersion = properties["ProtocolVersion"]?.uint32 ?? 0
        lastSeen = properties["LastSeen"]?.uint64 ?? 0
    }

    /// The properties that may change while the object exists, and whose changes are signalled.
    package var changingProperties: [String: Value] { Self.properties.changing(in: self) }

    fileprivate static let properties: [DescribedProperty<DeviceDescription>] = [
        DescribedProperty("ID", .string, .constant) { .string($0.id) },
        DescribedProperty("Name", .string, .emitted) { .string($0.name) },
        DescribedProperty("IntroducedBy", .string, .emitted) { .string($0.introducedBy) },
        DescribedProperty("ProtocolVersion", .uint32, .emitted) { .uint32($0.protocolVersion) },
        DescribedProperty("LastSeen", .uint64, .silent) { .uint64($0.lastSeen) },
    ]
}

/// What else changes when a device is removed.
package struct RemovalConsequences: Hashable, Sendable {
    /// A device by its id and name.
    package struct Device: Hashable, Sendable {
        package let id: String
        package let name: String

        package init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The trusted devices that only the removed one has brought, and that go with it.
    package let orphaned: [Device]
    /// The devices that the removed one has removed.
    package let removed: [Device]

    package init(orphaned: [Device], removed: [Device]) {
        self.orphaned = orphaned
        self.removed = removed
    }
}

extension Interface {
    /// `org.handoffd.Device1`.
    ///
    /// - Parameters:
    ///   - description: returns the present state of the device.
    ///   - remove: ends the trust in it.
    ///   - consequences: returns what else changes when it is removed.
    ///   - rename: gives it a name on all devices of the circle.
    package static func device(
        _ description: @escaping @Sendable () -> DeviceDescription,
        remove: @escaping @Sendable () async throws -> Void,
        consequences: @escaping @Sendable () -> RemovalConsequences,
        rename: @escaping @Sendable (String) async throws -> Void
    ) -> Interface {
        Interface(
            name: HandoffName.deviceInterface,
            methods: [
                Method(name: "Remove", inputs: [.options]) { _ in
                    .deferred {
                        try await remove()
                        return []
                    }
                },
                Method(
                    name: "ConsequencesOfRemoval",
                    inputs: [.options],
                    outputs: [
                        Argument(name: "orphaned", type: .dictionaries),
                        Argument(name: "removed", type: .dictionaries),
                    ]
                ) { _ in
                    let consequences = consequences()
                    return .reply([list(consequences.orphaned), list(consequences.removed)])
                },
                Method(name: "Rename", inputs: [Argument(name: "name", type: .string), .options]) { invocation in
                    let name = try invocation.arguments.decode(at: 0, as: String.self)
                    return .deferred {
                        try await rename(name)
                        return []
                    }
                },
            ],
            properties: DeviceDescription.properties.map { $0.property(of: description) }
        ).annotatedForCodeGenerators()
    }

    private static func list(_ devices: [RemovalConsequences.Device]) -> Value {
        .dictionaries(devices.map { ["ID": .string($0.id), "Name": .string($0.name)] })
    }
}

extension RemovalConsequences.Device {
    /// Reads a value of the type `aa{sv}`.
    package static func list(from value: Value) -> [RemovalConsequences.Device] {
        value.dictionaries.compactMap { properties in
            guard let id = properties["ID"]?.string, let name = properties["Name"]?.string else { return nil }
            return RemovalConsequences.Device(id: id, name: name)
        }
    }
}
