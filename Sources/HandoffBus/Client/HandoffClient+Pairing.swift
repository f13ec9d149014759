package import DBus

extension HandoffClient {
    /// Asks the daemon to search for a device to pair with; the agent at `agent` on this connection is called with
    /// everything that follows.
    package func pair(agent: ObjectPath) async throws {
        _ = try await call(PairingInterface.pair, [.objectPath(agent), .noOptions])
    }

    /// Stops the request of this connection; its agent is told how it has ended.
    package func stopPairing() async throws {
        _ = try await call(PairingInterface.stop)
    }

    /// As ``stopPairing()``, for a program that may be ending: never blocks, and is not told of a failure.
    package func sendStopOfPairing() {
        connection.send(Self.call(PairingInterface.stop))
    }

    /// Forgets an unconfirmed pairing.
    package func forgetPairing(with device: String) async throws {
        _ = try await call(PairingInterface.forget, [.string(device), .noOptions])
    }

    /// Returns the devices with which a pairing is unconfirmed.
    package func unconfirmedDevices() async throws -> [UnconfirmedDevice] {
        let value = try await connection.property(
            of: HandoffName.control,
            at: HandoffName.root,
            interface: HandoffName.pairingInterface,
            name: PairingInterface.unconfirmed.name
        )
        return value.dictionaries.map(UnconfirmedDevice.init)
    }
}
