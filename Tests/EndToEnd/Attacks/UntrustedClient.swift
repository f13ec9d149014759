import Bluetooth
import Foundation
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffRadioConformance
import HandoffRadioSimulated
import HandoffWire

/// An unauthenticated peer that reads a device's port with the advertising key in the device's state directory.
enum UntrustedClient {
    struct NothingHeard: Error {}

    /// Opens a channel to the device of `card`, sends `bytes`, and returns what follows the device's greeting before it
    /// closes.
    static func exchange(_ bytes: [UInt8], at device: Device) async throws -> [UInt8] {
        try await exchange(at: device, enough: .max) { _, _ in bytes }
    }

    /// Does the same with what `request` returns for the device's greeting and advertisement, until `enough` bytes
    /// have followed.
    static func exchange(
        at device: Device,
        enough: Int,
        request: @escaping @Sendable (SessionGreeting, AdvertisementPayload) throws -> [UInt8]
    ) async throws -> [UInt8] {
        let radio = SimulatedRadio(directory: device.world.airDirectory, name: "unauthenticated")
        return try await withReadyRadios([radio]) {
            let (address, payload) = try await advertisement(of: device, with: radio)
            return try await radio.withChannel(to: address, port: payload.port, timeout: .seconds(10)) { channel in
                var received: [UInt8] = []
                let length = 2 + SessionGreeting.byteCount
                while received.count < length, let message = try await channel.receive() { received += message }
                guard let greeting = SessionGreeting(bytes: Array(received.prefix(length).dropFirst(2))) else {
                    throw NothingHeard()
                }
                var rest = try request(greeting, payload)[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(channel.maximumMessageLength)
                    // The device may have closed already.
                    guard (try? await channel.send(Array(piece))) != nil else { break }
                    rest = rest.dropFirst(piece.count)
                }
                received = Array(received.dropFirst(length))
                while received.count < enough, let message = try? await channel.receive() { received += message }
                return received
            }
        }
    }

    /// The address and port in the device's next advertisement.
    static func endpoint(
        of device: Device,
        with radio: SimulatedRadio
    ) async throws -> (RadioAddress, LEPSM) {
        let (address, payload) = try await advertisement(of: device, with: radio)
        return (address, payload.port)
    }

    /// The device's next advertisement, and the address that it came from.
    private static func advertisement(
        of device: Device,
        with radio: SimulatedRadio
    ) async throws -> (RadioAddress, AdvertisementPayload) {
        let service = BluetoothUUID(number: 0xa0f6373c_c0be_4098_84f0_85fe6ea66c55)
        return try await radio.withScan(for: [service]) { reports in
            var opener = AdvertisementOpener(keys: [(0, try device.advertisingKey)])
            for await report in reports {
                let slot = AdvertisementSealer.slot(unixSeconds: Int64(Date.now.timeIntervalSince1970))
                guard let opened = opener.open(report.data, slot: slot),
                    let payload = try? AdvertisementPayload(
                        decoding: opened.plaintext,
                        slot: slot &+ UInt64(bitPattern: Int64(opened.slotOffset))
                    )
                else { continue }
                return (report.address, payload)
            }
            throw NothingHeard()
        }
    }
}
