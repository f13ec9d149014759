package import DBus

/// A trusted device, as `org.handoffd.Device1` tells it.
package struct DeviceDescription: DescribedObject, Hashable {
    package let path: ObjectPath
    /// 16 hexadecimal digits.
    package var id = ""
    package var name = ""
    /// The id of the device that trusted it first; empty when unknown.
    package var introducedBy = ""
    /// 0 when unknown.
    package var protocolVersion: UInt32 = 0
    /// Microseconds since 1970, accurate to the hour when it was last seen in an earlier run of the daemon; 0 for
    /// never.
    package var lastSeen: UInt64 = 0

    /// Makes the description of a device of which only the id is known.
    package init(id: String) {
        path = HandoffName.device(id)
        self.id = id
    }

    /// Reads the properties of the object at `path`; those that are absent or of another type are empty.
    package init(path: ObjectPath, _ properties: [String: Value]) {
        self.path = path
        id = path.lastElement
        read(properties)
    }

    package static let properties: [DescribedProperty<DeviceDescription>] = [
        DescribedProperty(
            "ID",
            \.id,
            .constant,
            "the id of the device, 16 hexadecimal digits: the first 64 bits of a hash of its public keys"
        ),
        DescribedProperty("Name", \.name, .emitted, "the name of the device, the same on all devices of the circle"),
        DescribedProperty(
            "IntroducedBy",
            \.introducedBy,
            .emitted,
            "the id of the device that trusted it first; empty when unknown"
        ),
        DescribedProperty(
            "ProtocolVersion",
            \.protocolVersion,
            .emitted,
            "the version of the protocol that it speaks; 0 until it was heard in this run of the daemon"
        ),
        DescribedProperty(
            "LastSeen",
            \.lastSeen,
            .silent,
            """
            when it was last heard, in microseconds since 1970 in UTC; 0 for never; accurate to the hour for times
            before the start of the daemon
            """
        ),
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

        /// Reads a value of the type `aa{sv}`.
        static func list(from value: Value) -> [Device] {
            value.dictionaries.compactMap { properties in
                guard let id = properties["ID"]?.string, let name = properties["Name"]?.string else { return nil }
                return Device(id: id, name: name)
            }
        }

        fileprivate var properties: [String: Value] { ["ID": .string(id), "Name": .string(name)] }
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

/// The members of `org.handoffd.Device1`.
package enum DeviceInterface {
    private static let name = HandoffName.deviceInterface

    package static let remove = MethodDeclaration(
        name,
        "Remove",
        """
        Ends the trust in the device: it can fetch no more activities from this device, and its activities leave the
        list.
        """,
        [.options]
    )
    package static let consequencesOfRemoval = MethodDeclaration(
        name,
        "ConsequencesOfRemoval",
        "Returns what a person should know before removing the device.",
        [.options],
        returns: [
            Argument(
                "orphaned",
                .dictionaries,
                "ID (s) and Name (s) of the trusted devices that only this one has introduced"
            ),
            Argument("removed", .dictionaries, "ID (s) and Name (s) of the devices that this one has removed"),
        ]
    )
    package static let rename = MethodDeclaration(
        name,
        "Rename",
        "Gives the device another name on all devices of the circle.",
        [Argument("name", .string, "1 to 64 bytes of printable text"), .options]
    )

    package static let declaration = InterfaceDeclaration(
        name,
        "a device that this one trusts",
        """
        At /org/handoffd/Handoff1/Device/ID, from pairing or org.handoffd.Manager1.TrustCard, or from the moment when
        another device of the circle has reported it, until it is removed; kept across restarts of the daemon.
        """,
        methods: [remove, consequencesOfRemoval, rename],
        properties: DeviceDescription.properties.map(\.declaration)
    )
}

/// The methods and properties of `org.handoffd.Device1` for one device, implemented by the daemon.
///
/// Every member is called on the loop's thread, in the order in which the calls came; none may block.
package protocol DeviceHandler: Sendable {
    /// The present state of the device.
    var description: DeviceDescription { get }
    /// What else changes when it is removed.
    var consequencesOfRemoval: RemovalConsequences { get }

    /// Ends the trust in it.
    func remove() async throws
    /// Gives it a name on all devices of the circle.
    func rename(to name: String) async throws
}

extension Interface {
    /// `org.handoffd.Device1`, served by `handler`.
    package static func device(_ handler: some DeviceHandler) -> Interface {
        Interface(
            DeviceInterface.declaration,
            methods: [
                DeviceInterface.remove.served { _ in .doneAfter { try await handler.remove() } },
                DeviceInterface.consequencesOfRemoval.served { _ in
                    let consequences = handler.consequencesOfRemoval
                    let lists = [consequences.orphaned, consequences.removed]
                    return .reply(lists.map { .dictionaries($0.map(\.properties)) })
                },
                DeviceInterface.rename.served { invocation in
                    let name = try invocation.argument(0, as: String.self)
                    return .doneAfter { try await handler.rename(to: name) }
                },
            ],
            properties: DeviceDescription.properties(of: { handler.description })
        )
    }
}
