package import DBus

/// The methods and properties of `org.handoffd.Pairing1`, implemented by the daemon.
///
/// Every member is called on the connection's thread, in the order in which the calls came; none may block.
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
        let pair = Method(name: "Pair", inputs: [Argument(name: "agent", type: .objectPath), .options]) { invocation in
            let agent = try invocation.arguments.decode(at: 0, as: ObjectPath.self)
            try handler.pair(agent: agent, by: invocation.sender)
            return .reply([])
        }
        let stop = Method(name: "Stop", inputs: [.options]) { invocation in
            handler.stop(by: invocation.sender)
            return .reply([])
        }
        let forget = Method(
            name: "Forget",
            inputs: [Argument(name: "device", type: .string), .options]
        ) { invocation in
            let device = try invocation.arguments.decode(at: 0, as: String.self)
            return .deferred {
                try await handler.forget(device: device)
                return []
            }
        }
        let unconfirmed = Property(name: "Unconfirmed", type: .dictionaries, changes: .emitted) {
            Value.unconfirmed(handler.unconfirmed)
        }
        return Interface(
            name: HandoffName.pairingInterface,
            methods: [pair, stop, forget],
            properties: [unconfirmed],
            signals: PairingEvent.descriptions
        ).annotatedForCodeGenerators()
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
