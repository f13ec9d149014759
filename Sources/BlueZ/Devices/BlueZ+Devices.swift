import AsyncSupport
package import Bluetooth
package import DBus

/// The state of a device in bluetoothd at one moment.
package struct Device: Hashable, Sendable {
    package let path: ObjectPath

    /// The address of the device; nil if bluetoothd reports none that is valid.
    package let address: BluetoothAddress?

    /// Whether there is a link of any kind to the device.
    package let isConnected: Bool

    /// Whether the user wants to keep it: paired, bonded or trusted.
    package let isPairedOrTrusted: Bool

    /// Whether its GATT services are resolved and their objects exist.
    package let hasServices: Bool
}

extension BlueZ {
    /// The default time limit for a disconnection.
    package static let disconnectLimit = Duration.milliseconds(3500)

    /// Returns the path of the object of the device at `address`, whether or not it exists.
    package func path(of address: BluetoothAddress, on adapter: Adapter) -> ObjectPath {
        adapter.path.appending(address.pathElement)
    }

    /// Returns the state of the device at `address` in bluetoothd.
    ///
    /// - Throws: ``BlueZError`` with `deviceAbsent` if bluetoothd does not know the device.
    package func device(
        _ address: BluetoothAddress,
        on adapter: Adapter,
        timeout: Duration = .seconds(25)
    ) async throws -> Device {
        try await device(at: path(of: address, on: adapter), timeout: timeout)
    }

    /// Returns the state of the device whose object is at `path`.
    ///
    /// - Throws: ``BlueZError`` with `deviceAbsent` if there is no such object.
    package func device(at path: ObjectPath, timeout: Duration = .seconds(25)) async throws -> Device {
        do {
            let reply = try await connection.call(
                MethodCall(
                    destination: Names.service,
                    path: path,
                    interface: "org.freedesktop.DBus.Properties",
                    member: "GetAll",
                    arguments: [.string(Names.device)],
                    startsService: false
                ),
                timeout: timeout
            )
            let properties = reply.first?.stringDictionary ?? [:]
            return Device(
                path: path,
                address: properties["Address"]?.string.flatMap { text in
                    BluetoothAddress(text, kind: properties["AddressType"]?.string == "public" ? .public : .random)
                },
                isConnected: properties["Connected"]?.boolean ?? false,
                isPairedOrTrusted: ["Paired", "Bonded", "Trusted"].contains { properties[$0]?.boolean == true },
                hasServices: properties["ServicesResolved"]?.boolean ?? false
            )
        } catch {
            throw BlueZError(any: error, during: .readDevice)
        }
    }

    /// Drops the link to the device at `address`, unless the device is paired, bonded or trusted, or not connected.
    ///
    /// Closing our channels does not drop it, because bluetoothd holds an ATT channel on every LE link; and while the
    /// link exists, the peripheral's advertising stays off. Disconnecting takes bluetoothd 2 s (bluez src/device.c,
    /// DISCONNECT_TIMER). Waits at most `limit` for it, even in a cancelled task. Errors are ignored.
    package func disconnect(
        _ address: BluetoothAddress,
        on adapter: Adapter,
        limit: Duration = disconnectLimit
    ) async {
        await disconnect(path(of: address, on: adapter), limit: limit)
    }

    /// Drops the link to the device whose object is at `path`, under the same conditions.
    package func disconnect(_ path: ObjectPath, limit: Duration = disconnectLimit) async {
        _ = try? await uncancelled.perform {
            try await withTimeout(limit) {
                let device = try await self.device(at: path, timeout: limit)
                guard device.isConnected, !device.isPairedOrTrusted else { return }
                try await self.callDevice(device.path, "Disconnect", timeout: limit)
            }
        }
    }

    /// The same for a task that cannot wait, because the connection is about to end: asks blindly, and hears no answer.
    package func requestDisconnect(_ address: BluetoothAddress, on adapter: Adapter) {
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

    /// Removes the device at `address` from bluetoothd, unless it is paired, bonded, trusted or connected.
    ///
    /// For devices that were connected with ``connectedDevice(_:on:timeout:)``: bluetoothd stores those on disk
    /// indefinitely.
    package func forget(_ address: BluetoothAddress, on adapter: Adapter) async {
        _ = try? await uncancelled.perform {
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
    /// Only for a device that was not paired, bonded or trusted before it was connected; its link is dropped, too.
    package func requestForget(_ address: BluetoothAddress, on adapter: Adapter) {
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

extension BluetoothAddress {
    /// The last element of the path of the device's object: `dev_AA_BB_CC_DD_EE_FF` (bluez src/device.c,
    /// device_create).
    var pathElement: String { "dev_" + text.replacing(":", with: "_") }
}
