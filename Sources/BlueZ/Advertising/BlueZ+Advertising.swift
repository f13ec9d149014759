import AsyncSupport
import DBus
import Synchronization

extension BlueZ {
    /// Advertises on `adapter` for as long as `body` runs.
    ///
    /// The body starts when bluetoothd reports that the advertisement is active. Every registration exports its own
    /// object, because bluetoothd may still be processing the previous one.
    ///
    /// - Parameters:
    ///   - advertisement: what is advertised.
    ///   - adapter: the adapter that advertises.
    ///   - renewals: with each element, the advertisement is registered again.
    ///   - body: runs while it is registered.
    /// - Throws: ``BlueZError`` when advertising cannot start or was stopped from outside; otherwise what `body`
    ///   throws.
    package func withAdvertisement<Success: Sendable>(
        _ advertisement: LEAdvertisement,
        on adapter: Adapter,
        renewals: AsyncStream<Void> = AsyncStream { $0.finish() },
        _ body: () async throws -> Success
    ) async throws -> Success {
        let (releases, released) = AsyncStream<Void>.makeStream()
        let export: @Sendable () -> ObjectPath = {
            let path = ObjectPath.root.appending("advertisement").appending("\(self.nextIdentifier())")
            self.connection.objects.insert([advertisement.interface { released.yield() }], at: path)
            return path
        }
        let path = Mutex(export())
        let renew: @Sendable () async throws -> Void = {
            for await _ in renewals {
                try await self.uncancelled.perform {
                    await self.unregister(path.withLock(\.self), on: adapter)
                    path.withLock { $0 = export() }
                    try await self.register(path.withLock(\.self), on: adapter)
                }
            }
        }
        let result: Result<Success, any Error> = await Result {
            try await uncancelled.perform { try await self.register(path.withLock(\.self), on: adapter) }
            return try await withBackgroundTasks(
                [{ try await self.watch(adapter) }, { try await self.watch(releases) }, renew],
                body: body
            )
        }
        // Unregisters even when registering failed: bluetoothd may have continued after the call timed out here.
        try? await uncancelled.perform { await self.unregister(path.withLock(\.self), on: adapter) }
        return try result.get()
    }

    private func unregister(_ path: ObjectPath, on adapter: Adapter) async {
        try? await callAdvertising(adapter, "UnregisterAdvertisement", [path.value])
        connection.objects.remove(at: path)
    }

    private func register(_ path: ObjectPath, on adapter: Adapter) async throws(BlueZError) {
        do {
            try await callAdvertising(adapter, "RegisterAdvertisement", [path.value, [String: Value]().value])
        } catch {
            throw BlueZError(error, during: .registerAdvertisement)
        }
    }

    /// Waits until bluetoothd releases the advertisement, then throws.
    ///
    /// bluetoothd also does so when the adapter is removed (bluez src/advertising.c, client_destroy). The delay lets
    /// the watch on the adapter report that reason first.
    private func watch(_ releases: AsyncStream<Void>) async throws {
        for await _ in releases {
            try await sleep(for: .milliseconds(500))
            throw BlueZError(.advertisementReleased, "bluetoothd stopped the advertisement; start it again")
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
