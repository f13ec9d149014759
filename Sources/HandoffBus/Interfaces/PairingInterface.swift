package import DBus

/// The members of `org.handoffd.Pairing1`.
package enum PairingInterface {
    private static let name = HandoffName.pairingInterface

    package static let pair = MethodDeclaration(
        name,
        "Pair",
        "Looks for a device that is pairing, for two minutes; all later questions and results go to the agent.",
        [Argument("agent", .objectPath, "an object of the caller with org.handoffd.PairingAgent1"), .options]
    )
    package static let stop = MethodDeclaration(
        name,
        "Stop",
        "Stops the caller's request; its agent is notified of the result.",
        [.options]
    )
    package static let forget = MethodDeclaration(
        name,
        "Forget",
        "Forgets an unconfirmed pairing.",
        [Argument("device", .string, "the id of the device"), .options]
    )
    package static let unconfirmed = PropertyDeclaration(
        "Unconfirmed",
        .dictionaries,
        .emitted,
        """
        the devices with which a pairing was confirmed here, and for which it is unknown whether the other side has:
        ID (s) and Name (s) of each; they have no rights, and leave the list as soon as the pairing is reconciled
        """
    )

    package static let declaration = InterfaceDeclaration(
        name,
        "makes this device and another one trust each other, by six digits that two users compare",
        methods: [pair, stop, forget],
        properties: [unconfirmed],
        signals: PairingEvent.descriptions
    )
}

/// The methods and properties of `org.handoffd.Pairing1`, implemented by the daemon.
///
/// Every member is called on the loop's thread, in the order in which the calls came; none may block.
package protocol PairingHandler: Sendable {
    /// The devices with which a pairing is unconfirmed.
    var unconfirmed: [UnconfirmedDevice] { get }

    /// Searches for a device to pair with; the `PairingAgent1` at `agent` asks the user.
    func pair(agent: ObjectPath, by client: BusName) throws
    /// Stops the request that `client` has begun, if any.
    func stop(by client: BusName)
    /// Forgets an unconfirmed pairing.
    func forget(device: String) async throws
}

extension Interface {
    /// `org.handoffd.Pairing1`, served by `handler`.
    package static func pairing(_ handler: some PairingHandler) -> Interface {
        Interface(
            PairingInterface.declaration,
            methods: [
                PairingInterface.pair.served { invocation in
                    try handler.pair(agent: invocation.argument(0), by: invocation.sender)
                    return .done
                },
                PairingInterface.stop.served { invocation in
                    handler.stop(by: invocation.sender)
                    return .done
                },
                PairingInterface.forget.served { invocation in
                    let device = try invocation.argument(0, as: String.self)
                    return .doneAfter { try await handler.forget(device: device) }
                },
            ],
            properties: [PairingInterface.unconfirmed.served { Value.unconfirmed(handler.unconfirmed) }]
        )
    }
}

extension Value {
    /// Returns the devices with which a pairing is unconfirmed, as a value of the type `aa{sv}`.
    package static func unconfirmed(_ devices: [UnconfirmedDevice]) -> Value {
        .dictionaries(devices.map(\.properties))
    }
}

/// A device with which a pairing is unconfirmed, as exported by `org.handoffd.Pairing1`.
package struct UnconfirmedDevice: Hashable, Sendable {
    /// 16 hexadecimal digits.
    package let id: String
    package let name: String

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// Reads a dictionary; what is absent or of another type is empty.
    package init(_ properties: [String: Value]) {
        id = properties["ID"]?.string ?? ""
        name = properties["Name"]?.string ?? ""
    }

    fileprivate var properties: [String: Value] { ["ID": .string(id), "Name": .string(name)] }
}
