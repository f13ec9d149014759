package import DBus

/// The properties of `org.handoffd.Device1` for one trusted device.
package struct DeviceDescription: Hashable, Sendable {
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
        self.id = id
        self.name = name
        self.introducedBy = introducedBy
        self.protocolVersion = protocolVersion
        self.lastSeen = lastSeen
    }

    /// The properties that may change while the object exists, and whose changes are signalled.
    package var changingProperties: [String: Value] {
        [
            "Name": .string(name), "IntroducedBy": .string(introducedBy), "ProtocolVersion": .uint32(protocolVersion),
        ]
    }
}

extension Interface {
    /// `org.handoffd.Device1`.
    ///
    /// - Parameters:
    ///   - description: returns the present state of the device.
    ///   - remove: ends the trust in it.
    ///   - rename: gives it a name on all devices of the circle.
    package static func device(
        _ description: @escaping @Sendable () -> DeviceDescription,
        remove: @escaping @Sendable () async throws -> Void,
        rename: @escaping @Sendable (String) async throws -> Void
    ) -> Interface {
        Interface(
            name: HandoffName.deviceInterface,
            methods: [
                Method(name: "Remove") { _ in
                    .deferred {
                        try await remove()
                        return []
                    }
                },
                Method(name: "Rename", inputs: [Argument(name: "name", type: .string)]) { invocation in
                    let name = try invocation.arguments.decode(at: 0, as: String.self)
                    return .deferred {
                        try await rename(name)
                        return []
                    }
                },
            ],
            properties: [
                Property(name: "ID", type: .string, changes: .constant) { .string(description().id) },
                Property(name: "Name", type: .string, changes: .emitted) { .string(description().name) },
                Property(name: "IntroducedBy", type: .string, changes: .emitted) {
                    .string(description().introducedBy)
                },
                Property(name: "ProtocolVersion", type: .uint32, changes: .emitted) {
                    .uint32(description().protocolVersion)
                },
                Property(name: "LastSeen", type: .uint64, changes: .silent) { .uint64(description().lastSeen) },
            ]
        )
    }
}
