/// The 9 random bytes that a device advertises while it pairs: they name one request for pairing, and nobody.
package struct PairingToken: Hashable, Comparable, Sendable {
    /// How many bytes it has: what is left of an advertisement.
    package static let byteCount = 9

    package let bytes: [UInt8]

    /// Takes exactly nine bytes.
    ///
    /// - Throws: ``WireError/Code/malformed`` for any other count.
    package init(bytes: [UInt8]) throws(WireError) {
        guard bytes.count == Self.byteCount else {
            throw WireError(.malformed, "A pairing's token has \(Self.byteCount) bytes; here are \(bytes.count).")
        }
        self.init(unchecked: bytes)
    }

    /// A new one.
    package static func random(using random: inout some RandomNumberGenerator) -> PairingToken {
        PairingToken(unchecked: (0..<byteCount).map { _ in .random(in: .min ... .max, using: &random) })
    }

    /// By their bytes, the first one counting most.
    package static func < (left: PairingToken, right: PairingToken) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// What a device advertises while it pairs: ten bytes, the port in the lower seven bits of the first, then the token.
package struct PairingAdvertisement: Hashable, Sendable {
    /// How many bytes it has.
    package static let byteCount = 1 + PairingToken.byteCount

    /// The PSM on which the device waits for others that pair, within ``AdvertisementPayload/ports``.
    package let port: UInt8
    package let token: PairingToken

    /// Says where a device can be reached that pairs.
    ///
    /// - Throws: ``WireError/Code/invalidContent`` when `port` is outside ``AdvertisementPayload/ports``.
    package init(port: UInt8, token: PairingToken) throws(WireError) {
        guard AdvertisementPayload.ports.contains(port) else {
            throw WireError(.invalidContent, "An advertised port lies in 0x80...0xFF; \(port) does not.")
        }
        self.port = port
        self.token = token
    }

    /// Reads ten bytes; any ten are one.
    ///
    /// - Throws: ``WireError/Code/malformed`` for any other count.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count == Self.byteCount else {
            throw WireError(.malformed, "A pairing is advertised by \(Self.byteCount) bytes; here are \(bytes.count).")
        }
        port = bytes[0] | 0x80
        token = try PairingToken(bytes: Array(bytes.dropFirst()))
    }

    /// The ten bytes.
    package func encode() -> [UInt8] {
        [port & 0x7F] + token.bytes
    }
}
