package import Bluetooth
package import DBus

/// A connected device whose GATT services are resolved.
package struct GATTPeer: Sendable {
    let bluez: BlueZ

    /// The path of the device's object.
    package let path: ObjectPath

    /// The time limit of one read or write (Bluetooth Core, Vol 3, Part F, 3.3.3: an ATT transaction has 30 s).
    private static let timeout = Duration.seconds(30)

    /// A characteristic of the device; valid until the link is lost.
    package struct Characteristic: Hashable, Sendable {
        let path: ObjectPath
    }

    /// Returns the characteristic with the UUID `uuid` in the service with the UUID `service`; the first if there are
    /// several.
    ///
    /// - Throws: ``BlueZError`` with `attributeAbsent` if there is none.
    package func characteristic(_ uuid: BluetoothUUID, of service: BluetoothUUID) async throws -> Characteristic {
        try await characteristics([uuid], of: service)[0]
    }

    /// Returns several characteristics of one service, in the order of `uuids`.
    package func characteristics(
        _ uuids: [BluetoothUUID],
        of service: BluetoothUUID
    ) async throws -> [Characteristic] {
        let objects: [ObjectPath: InterfaceProperties]
        do {
            objects = try await bluez.managedObjects()
        } catch {
            throw BlueZError(error, during: .readObjects)
        }
        let services = objects.filter { path, interfaces in
            path.isDescendant(of: self.path) && Self.uuid(interfaces[Names.gattService]) == service
        }
        return try uuids.map { uuid in
            let found = objects.filter { path, interfaces in
                let properties = interfaces[Names.gattCharacteristic]
                guard let owner = properties?["Service"]?.objectPath else { return false }
                return Self.uuid(properties) == uuid && services[owner] != nil
            }
            guard let path = found.keys.min() else {
                throw BlueZError(.attributeAbsent, "the device has no characteristic \(uuid) in a service \(service)")
            }
            return Characteristic(path: path)
        }
    }

    private static func uuid(_ properties: [String: Value]?) -> BluetoothUUID? {
        (properties?["UUID"]?.string).flatMap(BluetoothUUID.init)
    }

    /// Calls `notified` for each notification of the characteristic, until the task is cancelled or the connection to
    /// the bus is lost.
    ///
    /// The GATT subscription ends only with the link, because other tasks of this process may share it (bluez
    /// src/gatt-client.c has one for each client on the bus).
    ///
    /// - Parameters:
    ///   - characteristic: a characteristic that notifies.
    ///   - subscribed: called once; no later notification is missed.
    ///   - notified: called with the value of each notification.
    package func followNotifications(
        of characteristic: Characteristic,
        subscribed: @escaping @Sendable () -> Void,
        _ notified: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        let rule = MatchRule(
            sender: Names.service,
            path: characteristic.path,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged"
        )
        try await bluez.connection.withSignals(rule) { signals in
            do {
                _ = try await call(characteristic, "StartNotify", [], during: .readAttribute)
            } catch let error as BlueZError where error.code == .busy {
                // Another task of this process has just requested the same subscription.
            }
            subscribed()
            for try await signal in signals {
                guard case .changed(_, Names.gattCharacteristic, let values, _)? = ObjectChange(signal) else {
                    continue
                }
                if let value = values["Value"]?.bytes { notified(value) }
            }
        }
    }

    /// Waits until the device is disconnected.
    ///
    /// - Throws: ``BlueZError`` or `DBusError` when bluetoothd cannot report it; `CancellationError`.
    package func waitForDisconnection() async throws {
        try await bluez.waitForDisconnection(of: path)
    }

    /// Reads the whole value, of any length.
    package func read(_ characteristic: Characteristic) async throws -> [UInt8] {
        let options = [String: Value]().value
        let reply = try await call(characteristic, "ReadValue", [options], during: .readAttribute)
        guard let value = reply.first?.bytes else {
            throw BlueZError(
                .unexpectedReply,
                "bluetoothd answered ReadValue with a value that is not an array of bytes"
            )
        }
        return value
    }

    /// Writes the value and waits for the device's response.
    package func write(_ value: [UInt8], to characteristic: Characteristic) async throws {
        let options: [String: Value] = ["type": .string("request")]
        _ = try await call(characteristic, "WriteValue", [.bytes(value), options.value], during: .writeAttribute)
    }

    private func call(
        _ characteristic: Characteristic,
        _ member: MemberName,
        _ arguments: [Value],
        during operation: BlueZError.Operation
    ) async throws -> [Value] {
        do {
            return try await bluez.connection.call(
                MethodCall(
                    destination: Names.service,
                    path: characteristic.path,
                    interface: "org.bluez.GattCharacteristic1",
                    member: member,
                    arguments: arguments,
                    startsService: false
                ),
                timeout: Self.timeout
            )
        } catch {
            throw BlueZError(error, during: operation)
        }
    }
}
