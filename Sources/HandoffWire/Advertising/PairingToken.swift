package import Bluetooth

/// The 9 random bytes that a device advertises while it pairs: they identify one pairing request, not the device.
package struct PairingToken: Hashable, Comparable, Sendable {
    /// The number of bytes: what an advertisement has left beside the port.
    package static let byteCount = 9

    package let bytes: [UInt8]

    /// Makes a token of exactly nine bytes.
    ///
    /// - Throws: ``WireError/Code/malformed`` for any other count.
    package init(bytes: [UInt8]) throws(WireError) {
        guard bytes.count == Self.byteCount else {
            throw WireError(.malformed, "A pairing token has \(Self.byteCount) bytes, got \(bytes.count).")
        }
        self.init(unchecked: bytes)
    }

    /// Returns a new token.
    package static func random(using random: inout some RandomNumberGenerator) -> PairingToken {
        PairingToken(unchecked: (0..<byteCount).map { _ in .random(in: .min ... .max, using: &random) })
    }

    /// Compares the bytes lexicographically.
    package static func < (left: PairingToken, right: PairingToken) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The advertisement of a pairing device: ten bytes, the port in the lower five bits of the first, then the token.
package struct PairingAdvertisement: Hashable, Sendable {
    /// The number of bytes.
    package static let byteCount = 1 + PairingToken.byteCount

    /// The PSM on which the device accepts other pairing devices.
    package let port: LEPSM
    package let token: PairingToken

    /// Makes the advertisement of a device that pairs.
    package init(port: LEPSM, token: PairingToken) {
        self.port = port
        self.token = token
    }

    /// Decodes ten bytes; any ten bytes are valid.
    ///
    /// - Throws: ``WireError/Code/malformed`` for any other count.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count == Self.byteCount else {
            throw WireError(.malformed, "A pairing advertisement has \(Self.byteCount) bytes, got \(bytes.count).")
        }
        port = LEPSM(lowFiveBits: bytes[0])
        token = try PairingToken(bytes: Array(bytes.dropFirst()))
    }

    /// Returns the ten bytes.
    package func encode() -> [UInt8] {
        [port.lowFiveBits] + token.bytes
    }
}
