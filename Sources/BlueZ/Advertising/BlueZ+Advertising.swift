import AsyncSupport
import DBus

extension BlueZ {
    /// Advertises on `adapter` for as long as `body` runs.
    ///
    /// The body starts when bluetoothd says that the advertisement is on the air. Every call exports an object of its
    /// own: bluetoothd may still be busy with the last one.
    ///
    /// - Throws: ``BlueZError`` when advertising cannot start or was ended from outside; else what `body` throws.
    package func withAdvertisement<Success: Sendable>(
        _ advertisement: LEAdvertisement,
        on adapter: Adapter,
        _ body: () async throws -> Success
    ) async throws -> Success {
        let path = ObjectPath.root.appending("advertisement").appending("\(nextIdentifier())")
        let (releases, released) = AsyncStream<Void>.makeStream()
        connection.objects.insert([advertisement.interface { released.yield() }], at: path)
        let result: Result<Success, any Error> = await Result {
            try await errands.perform { try await self.register(path, on: adapter) }
            return try await withBackgroundTasks(
                [{ try await self.watch(adapter) }, { try await self.watch(releases) }],
                body: body
            )
        }
        // Asked for even when registering failed: bluetoothd may have gone on after we gave up waiting.
        try? await errands.perform { try await self.callAdvertising(adapter, "UnregisterAdvertisement", [path.value]) }
        connection.objects.remove(at: path)
        return try result.get()
    }

    private func register(_ path: ObjectPath, on adapter: Adapter) async throws(BlueZError) {
        do {
            try await callAdvertising(adapter, "RegisterAdvertisement", [path.value, [String: Value]().value])
        } catch {
            throw BlueZError(error, during: .registerAdvertisement)
        }
    }

    /// Waits until bluetoothd releases the advertisement, and throws then.
    ///
    /// It does when the adapter goes (bluez src/advertising.c, client_destroy), so the reason is about to be known.
    private func watch(_ releases: AsyncStream<Void>) async throws {
        for await _ in releases {
            try await Task.sleep(for: .milliseconds(500))
            throw BlueZError(.advertisementReleased, "bluetoothd took the advertisement off the air; start it again")
        }
    }

    private func callAdvertising(
        _ adapter: Adapter,
        _ member: MemberName,
        _ arguments: [Value]
    ) async throws(DBusError) {
        _ = try await connection.call(
            MethodCall(
                destination: Names.service,
                path: adapter.path,
                interface: "org.bluez.LEAdvertisingManager1",
                member: member,
                arguments: arguments,
                startsService: false
            )
        )
    }
}
