package import HandoffModel

/// Where a device can be reached on a local network for one stream, and its half of the secret of that connection.
///
/// All offers have one length, also the empty one, so that the radio does not show who is on a network. It holds nothing
/// that a reader must not connect to: other ports, or addresses that are not those of one interface of a computer, are
/// refused with the whole offer.
package struct NetworkOffer: Hashable, Sendable {
    /// The TCP port, from ``lowestPort`` on.
    package let port: UInt16
    /// ``secretBytes`` random bytes, new for each stream.
    package let secret: [UInt8]
    /// 1 to ``maximumAddresses`` different unicast addresses.
    package let addresses: [IPAddress]
    /// Whether the device's processor has instructions for AES, so that AES in Galois/Counter Mode is what it encrypts with
    /// fastest.
    package let hasAES: Bool

    /// The lowest port: below it are services of the system.
    package static let lowestPort: UInt16 = 1024
    /// The most addresses: two of each of four interfaces.
    package static let maximumAddresses = 8
    /// The length of the secret.
    package static let secretBytes = 32

    /// The length of every encoded offer: port, secret, places for all addresses, of a byte for the kind and 16 for
    /// the address, and a byte that is 1 where there are instructions for AES.
    static let encodedBytes = placesEnd + 1

    private static let placesEnd = 2 + secretBytes + maximumAddresses * placeBytes

    private static let placeBytes = 17

    /// Makes an offer; nil when one of its parts is not allowed.
    package init?(port: UInt16, secret: [UInt8], addresses: [IPAddress], hasAES: Bool) {
        guard port >= Self.lowestPort, secret.count == Self.secretBytes,
            (1...Self.maximumAddresses).contains(addresses.count), Set(addresses).count == addresses.count,
            addresses.allSatisfy(\.isUnicast)
        else { return nil }
        self.port = port
        self.secret = secret
        self.addresses = addresses
        self.hasAES = hasAES
    }

    /// The encoded offer; that of none is all zeros.
    static func encode(_ offer: NetworkOffer?) -> [UInt8] {
        guard let offer else { return [UInt8](repeating: 0, count: encodedBytes) }
        let places = offer.addresses.flatMap { address in
            let bytes = address.bytes
            return [bytes.count == 4 ? 4 : 6] + bytes + [UInt8](repeating: 0, count: placeBytes - 1 - bytes.count)
        }
        let content = [UInt8(offer.port >> 8), UInt8(offer.port & 0xFF)] + offer.secret + places
        return content + [UInt8](repeating: 0, count: placesEnd - content.count) + [offer.hasAES ? 1 : 0]
    }

    /// Decodes an offer; nil is the empty one.
    ///
    /// - Throws: ``WireError/Code/malformed`` for bytes that ``encode(_:)`` never produces,
    ///   ``WireError/Code/invalidContent`` for a port or an address that is not allowed.
    static func decode(_ bytes: [UInt8]) throws(WireError) -> NetworkOffer? {
        guard bytes.count == encodedBytes, bytes[placesEnd] <= 1 else { throw malformed }
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        let places = stride(from: 2 + secretBytes, to: placesEnd, by: placeBytes).map { start in
            bytes[start..<start + placeBytes]
        }
        let used = places.prefix { $0.first != 0 }
        guard places.dropFirst(used.count).allSatisfy({ $0.allSatisfy { $0 == 0 } }) else { throw malformed }
        var addresses: [IPAddress] = []
        for place in used { addresses.append(try address(place)) }
        let offer = NetworkOffer(
            port: UInt16(bytes[0]) << 8 | UInt16(bytes[1]),
            secret: Array(bytes[2..<2 + secretBytes]),
            addresses: addresses,
            hasAES: bytes[placesEnd] == 1
        )
        guard let offer else {
            throw WireError(.invalidContent, "An offer names a port or an address that may not be offered.")
        }
        return offer
    }

    private static func address(_ place: ArraySlice<UInt8>) throws(WireError) -> IPAddress {
        let count =
            switch place.first {
            case 4: 4
            case 6: 16
            default: throw malformed
            }
        let (bytes, rest) = (place.dropFirst().prefix(count), place.dropFirst(1 + count))
        guard rest.allSatisfy({ $0 == 0 }), let address = IPAddress(bytes: bytes) else { throw malformed }
        return address
    }

    private static var malformed: WireError { WireError(.malformed, "An offer of a network address is malformed.") }
}
