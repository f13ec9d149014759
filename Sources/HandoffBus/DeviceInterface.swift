package import DBus

/// What `org.handoffd.Device1` shows of one trusted device.
package struct DeviceDescription: Hashable, Sendable {
    /// 16 hexadecimal digits.
    package let id: String
    package let name: String
    /// Microseconds since 1970; 0 for never in this run of the daemon.
    package let lastSeen: UInt64

    package init(id: String, name: String, lastSeen: UInt64) {
        self.id = id
        self.name = name
        self.lastSeen = lastSeen
    }
}

extension Interface {
    /// `org.handoffd.Device1`.
    ///
    /// - Parameters:
    ///   - description: the device as it is now.
    ///   - remove: ends the trust in it.
    package static func device(
        _ description: @escaping @Sendable () -> DeviceDescription,
        remove: @escaping @Sendable () throws -> Void
    ) -> Interface {
        Interface(
            name: HandoffName.deviceInterface,
            methods: [
                Method(name: "Remove") { _ in
                    try remove()
                    return .reply([])
                }
            ],
            properties: [
                Property(name: "ID", type: .string, changes: .constant) { .string(description().id) },
                Property(name: "Name", type: .string, changes: .emitted) { .string(description().name) },
                Property(name: "LastSeen", type: .uint64, changes: .silent) { .uint64(description().lastSeen) },
            ]
        )
    }
}
