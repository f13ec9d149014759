import AsyncSupport
import BlueZ
import Bluetooth
import DBus
import HandoffRadio
import HandoffRadioBlueZ

/// Checks of bluetoothd that are no requirements of a radio.
///
///     radio-conformance --gatt       hci0 finds, reads and writes a service that hci1 publishes
///     radio-conformance --restart    a radio survives a restart of bluetoothd; prints `advertising` when it is time
///                                    to restart it
enum BlueZChecks {
    private static let service = BluetoothUUID(number: 0x0f0e0d0c_0b0a_0908_0706_050403020100)
    private static let characteristicUUID = BluetoothUUID(number: 0x0f0e0d0c_0b0a_0908_0706_050403020101)

    static func gatt(_ connection: Connection) async throws {
        try await withBlueZ(on: connection) { bluez in
            let (central, peripheral) = try await adapters(of: bluez)
            let (writes, newWrites) = AsyncStream<[UInt8]>.makeStream()
            let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
            let characteristic = GATTCharacteristic(
                uuid: characteristicUUID,
                read: { _ in value },
                write: { value, _ in newWrites.yield(value) }
            )
            let services = [GATTService(uuid: service, characteristics: [characteristic])]
            try await bluez.withApplication(services, on: peripheral) {
                try await exchange(value, writes, bluez, central, peripheral)
            }
        }
    }

    private static func exchange(
        _ value: [UInt8],
        _ writes: AsyncStream<[UInt8]>,
        _ bluez: BlueZ,
        _ central: Adapter,
        _ peripheral: Adapter
    ) async throws {
        let advertisement = LEAdvertisement(service: service, data: [1], interval: 152...153)
        let address = try await bluez.withDiscovery(on: central, transform: { [$0] }) { reports in
            try await bluez.withAdvertisement(advertisement, on: peripheral) {
                for await report in reports where report.serviceData[service] != nil { return report.address }
                throw CheckFailure("the advertisement was not received")
            }
        }
        try await bluez.withAdvertisement(advertisement, on: peripheral) {
            try await bluez.withDevice(address, on: central, timeout: .seconds(90)) { peer in
                let characteristic = try await peer.characteristic(characteristicUUID, of: service)
                guard try await peer.read(characteristic) == value else { throw CheckFailure("the value differs") }
                try await peer.write([7, 8], to: characteristic)
                for await message in writes {
                    guard message == [7, 8] else { throw CheckFailure("the written value differs") }
                    return
                }
            }
        }
    }

    private static func adapters(of bluez: BlueZ) async throws -> (Adapter, Adapter) {
        for await snapshot in bluez.snapshots() {
            let ready = snapshot.adapters.filter { $0.power == .on && $0.advertising != nil && $0.servesGATT }
            if ready.count == 2 { return (ready[0], ready[1]) }
        }
        throw CheckFailure("there are no two adapters that are ready")
    }

    static func restart(_ radio: BlueZRadio, report: (String) -> Void) async throws {
        try await withBackgroundTasks([{ try await radio.run() }]) {
            for word in ["advertising", "advertising again"] {
                for await state in radio.states() {
                    if case .ready = state { break }
                }
                do {
                    try await radio.withAdvertisement(advertisement()) {
                        report(word)
                        guard word == "advertising" else { return }
                        // The script that runs this check restarts bluetoothd once it has read this line.
                        let failure = CheckFailure("bluetoothd was not restarted within 100 s")
                        try await withTimeout(.seconds(100), throwing: failure) { () async throws -> Void in
                            try await untilCancelled()
                        }
                    }
                } catch let error as RadioError {
                    // bluetoothd switches its adapters off before it ends, and the radio notices that first.
                    report("ended: \(error)")
                }
            }
        }
    }

    private static func advertisement() -> Advertisement {
        Advertisement(service: service, data: [1], pace: .fast)
    }
}

/// A check that has failed, with the reason.
struct CheckFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
