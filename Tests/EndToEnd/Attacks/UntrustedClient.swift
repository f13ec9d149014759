import Foundation
import HandoffCrypto
import HandoffRadio
import HandoffRadioConformance
import HandoffRadioSimulated
import HandoffWire

/// An unauthenticated peer that reads a device's port with the advertising key of the device's card.
enum UntrustedClient {
    struct NothingHeard: Error {}

    /// Opens a channel to the device of `card` and sends `bytes`.
    ///
    /// - Returns: what was received until the device closed the channel, or until `enough` bytes were received.
    static func exchange(
        _ bytes: [UInt8],
        at card: String,
        in directory: String,
        enough: Int = .max
    ) async throws -> [UInt8] {
        let card = try CardText(parsing: card)
        let radio = SimulatedRadio(directory: directory, name: "unauthenticated")
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
                // The device may have closed the channel already.
                guard (try? await channel.send(Array(piece))) != nil else { break }
                rest = rest.dropFirst(piece.count)
            }
            var received: [UInt8] = []
            while received.count < enough, let message = try? await channel.receive() { received += message }
            return received
        }
    }

    /// The address and port in the device's next advertisement.
    static func endpoint(
        of card: CardText,
        with radio: SimulatedRadio
    ) async throws -> (RadioAddress, ChannelPort) {
        guard let service = ServiceUUID("6496566b-3dbc-40e5-a269-566274cc801d") else { throw NothingHeard() }
        return try await radio.withScan(for: [service]) { reports in
            var opener = AdvertisementOpener(keys: [(0, card.advertisingKey)])
            for await report in reports {
                let slot = UInt64(Date.now.timeIntervalSince1970) / 900
                guard let opened = opener.open(report.data, slot: slot),
                    let payload = try? AdvertisementPayload(decoding: opened.plaintext),
                    let port = ChannelPort(rawValue: UInt16(payload.port))
                else { continue }
                return (report.address, port)
            }
            throw NothingHeard()
        }
    }
}
