import BlueZ
import BlueZTestSupport
import Bluetooth
import DBus
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

private let service = BluetoothUUID(number: 0x0f0e0d0c_0b0a_0908_0706_050403020100)
private let characteristic = BluetoothUUID(number: 0x0f0e0d0c_0b0a_0908_0706_050403020101)
private let peer = "C0:00:00:00:00:01"

@Suite("The GATT server and the GATT client", .endsWithin(minutes: 10, instances: 1))
struct GATTTests {
    @Test("A published service can be read by bluetoothd, and answers its reads and writes")
    func server() async throws {
        let written = Written()
        let readWrite = GATTCharacteristic(
            uuid: characteristic,
            read: { request in Array(repeating: UInt8(request.mtu ?? 0), count: 30) },
            write: { value, _ in written.bytes.withLock { $0 = value } }
        )
        try await withFakeAdapter { fake, bluez, adapter in
            try await bluez.withApplication([GATTService(uuid: service, characteristics: [readWrite])], on: adapter) {
                let (root, owner) = try #require(fake.state.withLock(\.applications).first)
                let path = root.appending("service0").appending("characteristic0")
                let flags = try await fake.connection.property(
                    of: owner,
                    at: path,
                    interface: "org.bluez.GattCharacteristic1",
                    name: "Flags"
                )
                #expect([String](flags) == ["read", "write"])
                let options: [String: Value] = ["device": .objectPath(adapter.path), "mtu": .uint16(23)]
                let whole = try await fake.call(owner, path, "ReadValue", [options.value])
                #expect(whole.first?.bytes?.count == 30)
                let tail = options.merging(["offset": .uint16(22)]) { $1 }
                let rest = try await fake.call(owner, path, "ReadValue", [tail.value])
                #expect(rest.first?.bytes?.count == 8)
                _ = try await fake.call(owner, path, "WriteValue", [.bytes([1, 2]), options.value])
                #expect(written.bytes.withLock(\.self) == [1, 2])
                let beyond = options.merging(["offset": .uint16(31)]) { $1 }
                let code = await errorCode { _ = try await fake.call(owner, path, "ReadValue", [beyond.value]) }
                #expect(code == "remote")
            }
            #expect(fake.state.withLock(\.applications).isEmpty)
        }
    }

    @Test("A device is connected, read, written, and disconnected")
    func client() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            fake.hear(peer, on: adapter.path, serviceData: nil)
            let device = fake.path(of: peer, on: adapter.path)
            fake.addService(service, characteristic: characteristic, value: [7, 8], to: device)
            let address = try #require(BluetoothAddress(peer, kind: .random))
            try await bluez.withDevice(address, on: adapter, timeout: .seconds(10)) { device in
                let found = try await device.characteristic(characteristic, of: service)
                #expect(try await device.read(found) == [7, 8])
                try await device.write([9], to: found)
                let code = await errorCode { _ = try await device.characteristic(service, of: service) }
                #expect(code == "attributeAbsent")
            }
            #expect(fake.state.withLock(\.written) == [9])
            // The device was not paired or trusted, so it is removed from bluetoothd.
            #expect(fake.property(device, "org.bluez.Device1", "Connected") == nil)
        }
    }

    @Test("A connection to an unknown device is refused")
    func unknownDevice() async throws {
        try await withFakeAdapter { _, bluez, adapter in
            let address = try #require(BluetoothAddress(peer, kind: .random))
            let code = await errorCode {
                try await bluez.withDevice(address, on: adapter, timeout: .seconds(10)) { _ in }
            }
            #expect(code == "deviceAbsent")
        }
    }

    @Test("A disconnection that bluetoothd does not complete ends at its time limit")
    func stuckDisconnection() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            fake.hear(peer, on: adapter.path, serviceData: nil)
            fake.set(fake.path(of: peer, on: adapter.path), "org.bluez.Device1", ["Connected": .boolean(true)])
            fake.holdDisconnections()
            let address = try #require(BluetoothAddress(peer, kind: .random))
            let begin = ContinuousClock.now
            await bluez.disconnect(address, on: adapter, limit: .milliseconds(50))
            // Without the limit, the D-Bus call would time out after 25 s.
            #expect(begin.duration(to: .now) < .seconds(20))
        }
    }

    @Test("A notification reaches bluetoothd while the service is published, and not before or after")
    func notifications() async throws {
        let notifier = GATTNotifier()
        let notifying = GATTCharacteristic(uuid: characteristic, notifier: notifier)
        try await withFakeAdapter { fake, bluez, adapter in
            notifier.notify([1])
            try await bluez.withApplication([GATTService(uuid: service, characteristics: [notifying])], on: adapter) {
                let (root, owner) = try #require(fake.state.withLock(\.applications).first)
                let rule = MatchRule(sender: owner, path: root.appending("service0").appending("characteristic0"))
                try await fake.connection.withSignals(rule) { signals in
                    notifier.notify([2])
                    for try await signal in signals {
                        #expect(signal.arguments[1].stringDictionary?["Value"]?.bytes == [2])
                        break
                    }
                }
            }
            notifier.notify([3])
        }
    }

    @Test("A paired device is neither disconnected nor removed")
    func kept() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            fake.hear(peer, on: adapter.path, serviceData: nil, more: ["Paired": .boolean(true)])
            let device = fake.path(of: peer, on: adapter.path)
            fake.set(device, "org.bluez.Device1", ["Connected": .boolean(true)])
            await bluez.disconnect(try #require(BluetoothAddress(peer, kind: .random)), on: adapter)
            #expect(fake.property(device, "org.bluez.Device1", "Connected") == .boolean(true))
        }
    }
}

/// The value that was written last, shared with the write handler.
private final class Written: Sendable {
    let bytes = Mutex<[UInt8]>([])
}
