package import DBus

/// A connected device whose GATT services are known.
package struct GATTPeer: Sendable {
    let bluez: BlueZ

    /// The device's object.
    package let path: ObjectPath

    /// How long one read or write may take (Bluetooth Core, Vol 3, Part F, 3.3.3: an ATT transaction has 30 s).
    private static let timeout = Duration.seconds(30)

    /// A characteristic of the device; good until the link is gone.
    package struct Characteristic: Hashable, Sendable {
        let path: ObjectPath
    }

    /// Finds the first characteristic with that UUID in the first service with that UUID.
    ///
    /// - Throws: ``BlueZError`` with `attributeAbsent` when there is none.
    package func characteristic(_ uuid: String, of service: String) async throws -> Characteristic {
        let objects: [ObjectPath: InterfaceProperties]
        do {
            objects = try await bluez.managedObjects()
        } catch {
            throw BlueZError(error, during: .readObjects)
        }
        let services = objects.filter { path, interfaces in
            path.isDescendant(of: self.path) && interfaces[Names.gattService]?["UUID"]?.string == service
        }
        let found = objects.filter { path, interfaces in
            let properties = interfaces[Names.gattCharacteristic]
            guard let owner = properties?["Service"]?.objectPath else { return false }
            return properties?["UUID"]?.string == uuid && services[owner] != nil
        }
        guard let path = found.keys.min() else {
            throw BlueZError(.attributeAbsent, "the device has no characteristic \(uuid) in a service \(service)")
        }
        return Characteristic(path: path)
    }

    /// Reads the whole value, however long.
    package func read(_ characteristic: Characteristic) async throws -> [UInt8] {
        let options = [String: Value]().value
        let reply = try await call(characteristic, "ReadValue", [options], during: .readAttribute)
        guard let value = reply.first?.bytes else {
            throw BlueZError(.unexpectedReply, "bluetoothd answered ReadValue with something else than bytes")
        }
        return value
    }

    /// Writes the value and waits for the device's answer.
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
