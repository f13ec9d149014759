import Bluetooth
import Foundation
import HandoffCrypto
import HandoffRadio
import HandoffRadioConformance
import HandoffRadioSimulated
import HandoffWire

/// Somebody with a radio and no trust, who knows the port all the same.
enum UntrustedClient {
    struct NothingHeard: Error {}

    /// Opens a channel to the device of `card`, sends `bytes`, and returns what came back before the device closed, or
    /// before it was `enough`.
    static func exchange(
        _ bytes: [UInt8],
        at card: String,
        in directory: String,
        enough: Int = .max
    ) async throws -> [UInt8] {
        let card = try CardText(parsing: card)
        let radio = SimulatedRadio(directory: directory, name: "stranger")
        return try await withReadyRadios([radio]) { try await exchange(bytes, at: card, with: radio, enough) }
    }

    private static func exchange(
        _ bytes: [UInt8],
        at card: CardText,
        with radio: SimulatedRadio,
        _ enough: Int
    ) async throws -> [UInt8] {
        let (address, port) = try await endpoint(of: card, with: radio)
        return try await radio.withChannel(to: address, port: port, timeout: .seconds(10)) { channel in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(channel.maximumMessageLength)
                // The device may have closed already.
                guard (try? await channel.send(Array(piece))) != nil else { break }
                rest = rest.dropFirst(piece.count)
            }
            var heard: [UInt8] = []
            while heard.count < enough, let message = try? await channel.receive() { heard += message }
            return heard
        }
    }

    /// Where the device can be reached, as its next advertisement tells.
    static func endpoint(
        of card: CardText,
        with radio: SimulatedRadio
    ) async throws -> (RadioAddress, LEPSM) {
        let service = BluetoothUUID(number: 0x6496566b_3dbc_40e5_a269_566274cc801d)
        return try await radio.withScan(for: [service]) { reports in
            var opener = AdvertisementOpener(keys: [(0, card.advertisingKey)])
            for await report in reports {
                let slot = AdvertisementSealer.slot(unixSeconds: Int64(Date.now.timeIntervalSince1970))
                guard let opened = opener.open(report.data, slot: slot),
                    let payload = try? AdvertisementPayload(decoding: opened.plaintext)
                else { continue }
                return (report.address, payload.port)
            }
            throw NothingHeard()
        }
    }
}
