import AsyncSupport
import BlueZ
import Bluetooth
import DBus
import HandoffRadio
import HandoffRadioBlueZ

/// What bluetoothd has to show beyond the promises of a radio.
///
///     radio-conformance --gatt       a service that hci1 publishes is found, read and written from hci0
///     radio-conformance --restart    a radio outlives bluetoothd; says `advertising` when it is time to restart it
enum BlueZChecks {
    private static let service = BluetoothUUID(number: 0x0f0e0d0c_0b0a_0908_0706_050403020100)
    private static let mailbox = BluetoothUUID(number: 0x0f0e0d0c_0b0a_0908_0706_050403020101)

    static func gatt(_ connection: Connection) async throws {
        try await withBlueZ(on: connection) { bluez in
            let (central, peripheral) = try await adapters(of: bluez)
            let (letters, posted) = AsyncStream<[UInt8]>.makeStream()
            let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
            let characteristic = GATTCharacteristic(
                uuid: mailbox,
                read: { _ in value },
                write: { letter, _ in posted.yield(letter) }
            )
            let services = [GATTService(uuid: service, characteristics: [characteristic])]
            try await bluez.withApplication(services, on: peripheral) {
                try await exchange(value, letters, bluez, central, peripheral)
            }
        }
    }

    private static func exchange(
        _ value: [UInt8],
        _ letters: AsyncStream<[UInt8]>,
        _ bluez: BlueZ,
        _ central: Adapter,
        _ peripheral: Adapter
    ) async throws {
        let advertisement = LEAdvertisement(service: service, data: [1], interval: 152...153)
        let address = try await bluez.withDiscovery(on: central, transform: { [$0] }) { reports in
            try await bluez.withAdvertisement(advertisement, on: peripheral) {
                for await report in reports where report.serviceData[service] != nil { return report.address }
                throw CheckFailure("the advertisement was not heard")
            }
        }
        try await bluez.withAdvertisement(advertisement, on: peripheral) {
            try await bluez.withDevice(address, on: central, timeout: .seconds(90)) { peer in
                let mailbox = try await peer.characteristic(mailbox, of: service)
                guard try await peer.read(mailbox) == value else { throw CheckFailure("the value differs") }
                try await peer.write([7, 8], to: mailbox)
                for await letter in letters {
                    guard letter == [7, 8] else { throw CheckFailure("the letter differs") }
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
        throw CheckFailure("there are no two adapters")
    }

    static func restart(_ radio: BlueZRadio, say: (String) -> Void) async throws {
        try await withBackgroundTasks([{ try await radio.run() }]) {
            for word in ["advertising", "advertising again"] {
                for await state in radio.states() {
                    if case .ready = state { break }
                }
                do {
                    try await radio.withAdvertisement(advertisement()) {
                        say(word)
                        guard word == "advertising" else { return }
                        // The script that runs this check restarts bluetoothd when it has read the word.
                        let failure = CheckFailure("bluetoothd was not restarted within 100 s")
                        try await withTimeout(.seconds(100), throwing: failure) { () async throws -> Void in
                            try await untilCancelled()
                        }
                    }
                } catch let error as RadioError {
                    // bluetoothd switches its adapters off before it goes, and that is noticed first.
                    say("ended: \(error)")
                }
            }
        }
    }

    private static func advertisement() -> Advertisement {
        Advertisement(service: service, data: [1], pace: .fast)
    }
}

/// A check that failed, in words.
struct CheckFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
