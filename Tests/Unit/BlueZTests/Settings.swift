import BlueZ
import BlueZTestSupport
import DBus
import HandoffTestSupport

/// Runs `body` with a private bus and ``BlueZ`` on it, without a bluetoothd.
func withBlueZAlone(
    settling: Duration = .seconds(1),
    persistence: Duration = .seconds(12),
    _ body: @escaping @Sendable (BlueZ, BusAddress) async throws -> Void
) async throws {
    try await withPrivateBus { bus in
        let address = bus.address
        try await Connection.withConnection(to: address) { connection in
            try await withBlueZ(on: connection, settling: settling, persistence: persistence) {
                try await body($0, address)
            }
        }
    }
}

/// Runs `body` with a private bus, ``BlueZ`` and a ``FakeBluetoothd`` that has no adapter yet.
func withFakeAndBlueZ(
    _ body: @escaping @Sendable (FakeBluetoothd, BlueZ) async throws -> Void
) async throws {
    try await withBlueZAlone { bluez, address in
        try await withFakeBluetoothd(on: address) { fake in
            await bluez.first { $0.service == .running }
            try await body(fake, bluez)
        }
    }
}

/// The same, with an adapter that supports advertising and GATT.
func withFakeAdapter(
    more: [MemberName: Value] = [:],
    _ body: @escaping @Sendable (FakeBluetoothd, BlueZ, Adapter) async throws -> Void
) async throws {
    try await withFakeAndBlueZ { fake, bluez in
        let path = fake.addAdapter(more: more)
        fake.addAdvertising(to: path)
        fake.addGATT(to: path)
        let snapshot = await bluez.first { $0.adapters.contains { $0.advertising != nil && $0.servesGATT } }
        try await body(fake, bluez, snapshot.adapters[0])
    }
}

extension BlueZ {
    /// The first snapshot, from now on, that satisfies the condition.
    @discardableResult
    func first(where isWanted: @Sendable (BlueZSnapshot) -> Bool) async -> BlueZSnapshot {
        for await snapshot in snapshots() where isWanted(snapshot) { return snapshot }
        return snapshot
    }
}

/// The code of the error that `work` throws, or `none`.
func errorCode(_ work: () async throws -> Void) async -> String {
    do {
        try await work()
        return "none"
    } catch let error as BlueZError {
        return error.code.description
    } catch let error as DBusError {
        return error.code.description
    } catch {
        return "\(error)"
    }
}
