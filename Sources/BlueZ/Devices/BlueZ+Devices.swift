import AsyncSupport
package import DBus

/// What bluetoothd knows about a device at one moment.
package struct Device: Hashable, Sendable {
    package let path: ObjectPath

    /// Its address, or nil where bluetoothd tells none that could be one.
    package let address: DeviceAddress?

    /// Whether there is a link to it, of whatever kind.
    package let isConnected: Bool

    /// Whether somebody wants to keep it: paired, bonded or trusted.
    package let isPairedOrTrusted: Bool

    /// Whether its GATT services are known and their objects are there.
    package let hasServices: Bool
}

extension BlueZ {
    /// The path of the object that bluetoothd has for the device at `address`, if it has one.
    package func path(of address: DeviceAddress, on adapter: Adapter) -> ObjectPath {
        adapter.path.appending(address.pathElement)
    }

    /// What bluetoothd knows about the device at `address`.
    ///
    /// - Throws: ``BlueZError`` with `deviceAbsent` when it knows nothing.
    package func device(_ address: DeviceAddress, on adapter: Adapter) async throws -> Device {
        try await device(at: path(of: address, on: adapter))
    }

    /// What bluetoothd knows about the device whose object is at `path`.
    ///
    /// - Throws: ``BlueZError`` with `deviceAbsent` when there is none.
    package func device(at path: ObjectPath) async throws -> Device {
        do {
            let reply = try await connection.call(
                MethodCall(
                    destination: Names.service,
                    path: path,
                    interface: "org.freedesktop.DBus.Properties",
                    member: "GetAll",
                    arguments: [.string(Names.device)],
                    startsService: false
                )
            )
            let properties = reply.first?.stringDictionary ?? [:]
            return Device(
                path: path,
                address: properties["Address"]?.string.flatMap { text in
                    DeviceAddress(text, kind: properties["AddressType"]?.string == "public" ? .public : .random)
                },
                isConnected: properties["Connected"]?.boolean ?? false,
                isPairedOrTrusted: ["Paired", "Bonded", "Trusted"].contains { properties[$0]?.boolean == true },
                hasServices: properties["ServicesResolved"]?.boolean ?? false
            )
        } catch {
            throw BlueZError(any: error, during: .readDevice)
        }
    }

    /// Drops the link to the device at `address`, unless it is somebody else's: a kept device, or none that is connected.
    ///
    /// Closing our channels does not drop it, because bluetoothd holds an ATT channel on every LE link; and as long as
    /// the link stands, the peripheral's advertising stays off. bluetoothd takes 2 s over it (bluez src/device.c,
    /// DISCONNECT_TIMER). It is waited for, even in a cancelled task, for at most `limit`. Failure is of no consequence
    /// and not reported.
    package func disconnect(
        _ address: DeviceAddress,
        on adapter: Adapter,
        limit: Duration = .milliseconds(3500)
    ) async {
        await disconnect(path(of: address, on: adapter), limit: limit)
    }

    /// The same for the device whose object is at `path`.
    package func disconnect(_ path: ObjectPath, limit: Duration = .milliseconds(3500)) async {
        _ = try? await errands.perform {
            try await withTimeout(limit) {
                let device = try await self.device(at: path)
                guard device.isConnected, !device.isPairedOrTrusted else { return }
                try await self.callDevice(device.path, "Disconnect")
            }
        }
    }

    /// The same for a task that cannot wait, because the connection is about to end: asks blindly, and hears no answer.
    package func requestDisconnect(_ address: DeviceAddress, on adapter: Adapter) {
        connection.send(
            MethodCall(
                destination: Names.service,
                path: path(of: address, on: adapter),
                interface: "org.bluez.Device1",
                member: "Disconnect",
                startsService: false
            )
        )
    }

    /// Makes bluetoothd forget the device at `address`, unless it is kept or connected.
    ///
    /// For devices that were connected to by ``withDevice(_:on:timeout:_:)``: bluetoothd stores those on disk for ever.
    package func forget(_ address: DeviceAddress, on adapter: Adapter) async {
        _ = try? await errands.perform {
            let device = try await self.device(address, on: adapter)
            guard !device.isConnected, !device.isPairedOrTrusted else { return }
            _ = try await self.connection.call(
                MethodCall(
                    destination: Names.service,
                    path: adapter.path,
                    interface: "org.bluez.Adapter1",
                    member: "RemoveDevice",
                    arguments: [device.path.value],
                    startsService: false
                )
            )
        }
    }

    /// The same for a task that cannot wait, because the connection is about to end: asks blindly, and hears no answer.
    ///
    /// Only for a device that was not kept when it was connected to; the link is dropped with it.
    package func requestForget(_ address: DeviceAddress, on adapter: Adapter) {
        connection.send(
            MethodCall(
                destination: Names.service,
                path: adapter.path,
                interface: "org.bluez.Adapter1",
                member: "RemoveDevice",
                arguments: [path(of: address, on: adapter).value],
                startsService: false
            )
        )
    }

    func callDevice(
        _ path: ObjectPath,
        _ member: MemberName,
        timeout: Duration = .seconds(25)
    ) async throws(DBusError) {
        _ = try await connection.call(
            MethodCall(
                destination: Names.service,
                path: path,
                interface: "org.bluez.Device1",
                member: member,
                startsService: false
            ),
            timeout: timeout
        )
    }
}
