package import Bluetooth
package import DBus
import Synchronization

extension FakeBluetoothd {
    /// The object path of a device.
    package func path(of address: String, on adapter: ObjectPath) -> ObjectPath {
        adapter.appending("dev_" + String(address.map { $0 == ":" ? "_" : $0 }))
    }

    /// Simulates a received advertisement: the first adds the device's object, later ones change its properties.
    package func hear(
        _ address: String,
        type: String = "random",
        on adapter: ObjectPath,
        serviceData: [BluetoothUUID: [UInt8]]?,
        rssi: Int16 = -40,
        more: [MemberName: Value] = [:]
    ) {
        var values: [MemberName: Value] = ["RSSI": .int16(rssi)]
        let entries = serviceData?.map { uuid, bytes in (uuid.description, Value.bytes(bytes)) }
        if let entries { values["ServiceData"] = Dictionary(uniqueKeysWithValues: entries).value }
        let path = path(of: address, on: adapter)
        if state.withLock({ $0.properties[path] }) != nil {
            set(path, "org.bluez.Device1", values)
        } else {
            values["Address"] = .string(address)
            values["AddressType"] = .string(type)
            values["Connected"] = .boolean(false)
            values["ServicesResolved"] = .boolean(false)
            insert("org.bluez.Device1", values.merging(more) { $1 }, deviceMethods, at: path)
        }
    }

    /// Simulates a central that connects to the adapter, and that was not heard before.
    package func acceptLink(
        of address: String,
        on adapter: ObjectPath,
        more: [MemberName: Value] = [:]
    ) {
        let values: [MemberName: Value] = [
            "Address": .string(address), "AddressType": .string("random"), "Connected": .boolean(true),
            "ServicesResolved": .boolean(false),
        ]
        insert("org.bluez.Device1", values.merging(more) { $1 }, deviceMethods, at: path(of: address, on: adapter))
    }

    /// Adds a GATT service with one characteristic to a device.
    package func addService(
        _ service: BluetoothUUID,
        characteristic: BluetoothUUID,
        value: [UInt8],
        to device: ObjectPath
    ) {
        let service0 = device.appending("service0001")
        insert("org.bluez.GattService1", ["UUID": .string(service.description)], at: service0)
        let options = Argument(name: "options", type: [String: Value].valueType)
        let bytes = Argument(name: "value", type: .array(.byte))
        insert(
            "org.bluez.GattCharacteristic1",
            ["UUID": .string(characteristic.description), "Service": .objectPath(service0)],
            [
                method("ReadValue", [options], outputs: [bytes]) { _, _ in .reply([.bytes(value)]) },
                method("WriteValue", [bytes, options]) { fake, invocation in
                    fake.state.withLock { $0.written = invocation.arguments.first?.bytes ?? [] }
                    return .reply([])
                },
            ],
            at: service0.appending("char0002")
        )
    }

    /// Calls a method of a characteristic that a client has published, as bluetoothd does for a device.
    package func call(
        _ owner: BusName,
        _ path: ObjectPath,
        _ member: MemberName,
        _ arguments: [Value]
    ) async throws -> [Value] {
        try await connection.call(
            MethodCall(
                destination: owner,
                path: path,
                interface: "org.bluez.GattCharacteristic1",
                member: member,
                arguments: arguments
            )
        )
    }

    private var deviceMethods: [Method] {
        [
            method("Connect") { fake, invocation in
                fake.state.withLock { $0.connected.append(invocation.path) }
                fake.afterReply {
                    fake.set(invocation.path, "org.bluez.Device1", ["Connected": .boolean(true)])
                    fake.set(invocation.path, "org.bluez.Device1", ["ServicesResolved": .boolean(true)])
                }
                return .reply([])
            },
            method("Disconnect") { fake, invocation in
                fake.state.withLock { $0.disconnected.append(invocation.path) }
                return .deferred {
                    await fake.waitForDisconnectionRelease()
                    fake.set(
                        invocation.path,
                        "org.bluez.Device1",
                        ["Connected": .boolean(false), "ServicesResolved": .boolean(false)]
                    )
                    return []
                }
            },
        ]
    }
}
