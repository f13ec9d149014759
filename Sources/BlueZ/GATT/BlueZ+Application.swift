import AsyncSupport
import DBus

extension BlueZ {
    /// Publishes GATT services on `adapter` while `body` runs.
    ///
    /// bluetoothd reads all objects before it answers. While they are registered, none is added or removed, because
    /// bluetoothd would treat a removal as the end of the application (bluez src/gatt-database.c).
    ///
    /// - Throws: ``BlueZError`` when the services cannot be published or the adapter is lost; otherwise what `body`
    ///   throws.
    package func withApplication<Success: Sendable>(
        _ services: [GATTService],
        on adapter: Adapter,
        _ body: () async throws -> Success
    ) async throws -> Success {
        let root = ObjectPath.root.appending("application").appending("\(nextIdentifier())")
        let application = GATTApplication(root: root, services: services)
        let objects = application.objects
        for object in objects { connection.objects.insert([object.interface], at: object.path) }
        connection.objects.insertObjectManager(at: root)
        let result: Result<Success, any Error> = await Result {
            do {
                let arguments = [root.value, [String: Value]().value]
                try await uncancelled.perform { try await self.callServer(adapter, "RegisterApplication", arguments) }
            } catch {
                throw BlueZError(any: error, during: .registerApplication)
            }
            for (path, notifier) in application.notifiers { notifier.publish(path, in: connection.objects) }
            return try await withBackgroundTasks([{ try await self.watch(adapter) }], body: body)
        }
        for (_, notifier) in application.notifiers { notifier.publish(nil, in: connection.objects) }
        try? await uncancelled.perform { try await self.callServer(adapter, "UnregisterApplication", [root.value]) }
        connection.objects.remove(at: root)
        for object in objects { connection.objects.remove(at: object.path) }
        return try result.get()
    }

    private func callServer(
        _ adapter: Adapter,
        _ member: MemberName,
        _ arguments: [Value]
    ) async throws(DBusError) {
        _ = try await connection.call(
            MethodCall(
                destination: Names.service,
                path: adapter.path,
                interface: "org.bluez.GattManager1",
                member: member,
                arguments: arguments,
                startsService: false
            )
        )
    }
}
