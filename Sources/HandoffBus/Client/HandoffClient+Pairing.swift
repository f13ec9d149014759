package import DBus

extension HandoffClient {
    /// Asks the daemon to search for a device to pair with; the agent at `agent` on this connection is called with
    /// everything that follows.
    package func pair(agent: ObjectPath) async throws {
        _ = try await callPairing("Pair", [.objectPath(agent), .noOptions])
    }

    /// Stops the request of this connection; its agent is told how it has ended.
    package func stopPairing() async throws {
        _ = try await callPairing("Stop", [.noOptions])
    }

    /// As ``stopPairing()``, for a program that may be ending: never blocks, and is not told of a failure.
    package func sendStopOfPairing() {
        connection.send(Self.pairingCall("Stop", [.noOptions]))
    }

    /// Forgets an unconfirmed pairing.
    package func forgetPairing(with device: String) async throws {
        _ = try await callPairing("Forget", [.string(device), .noOptions])
    }

    /// Returns the devices with which a pairing is unconfirmed.
    package func unconfirmedDevices() async throws -> [UnconfirmedDevice] {
        let value = try await connection.property(
            of: HandoffName.control,
            at: HandoffName.root,
            interface: HandoffName.pairingInterface,
            name: "Unconfirmed"
        )
        return value.dictionaries.map(UnconfirmedDevice.init)
    }

    private func callPairing(_ member: MemberName, _ arguments: [Value]) async throws -> [Value] {
        try await connection.call(Self.pairingCall(member, arguments))
    }

    private static func pairingCall(_ member: MemberName, _ arguments: [Value]) -> MethodCall {
        MethodCall(
            destination: HandoffName.control,
            path: HandoffName.root,
            interface: HandoffName.pairingInterface,
            member: member,
            arguments: arguments
        )
    }
}
