package import HandoffModel

/// The plaintext of an advertisement: six bytes.
///
/// Byte 0 has the web page flag in its highest bit and the port minus 0x80 in the others; bytes 1…5 are the type hash.
package struct AdvertisementPayload: Hashable, Sendable {
    /// The number of bytes before sealing.
    package static let byteCount = 1 + ActivityTypeHash.byteCount

    /// The dynamic PSMs of LE credit-based channels (Bluetooth Core 6.0, Vol 3, Part A, section 4.22).
    package static let ports: ClosedRange<UInt8> = 0x80...0xFF

    /// Whether a browser can continue the activity where no app does.
    package let hasWebpage: Bool

    /// The PSM on which the origin listens, within ``ports``.
    package let port: UInt8

    /// The hash of the current activity's type.
    package let typeHash: ActivityTypeHash

    /// Makes the payload for the current activity and the port on which it can be fetched.
    ///
    /// - Throws: ``WireError/Code/invalidContent`` when `port` is outside ``ports``.
    package init(hasWebpage: Bool, port: UInt8, typeHash: ActivityTypeHash) throws(WireError) {
        guard Self.ports.contains(port) else {
            throw WireError(.invalidContent, "An advertised port must be in 0x80...0xFF, got \(port).")
        }
        self.hasWebpage = hasWebpage
        self.port = port
        self.typeHash = typeHash
    }

    /// Decodes six bytes; any six bytes are valid.
    ///
    /// - Throws: ``WireError/Code/malformed`` for any other count.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count == Self.byteCount else {
            throw WireError(
                .malformed,
                "Expected \(Self.byteCount) bytes of advertisement payload, got \(bytes.count)."
            )
        }
        do {
            typeHash = try ActivityTypeHash(bytes: bytes.dropFirst())
        } catch {
            throw WireError(error)
        }
        hasWebpage = bytes[0] & 0x80 != 0
        port = bytes[0] | 0x80
    }

    /// Returns the six bytes.
    package func encode() -> [UInt8] {
        [(hasWebpage ? 0x80 : 0) | (port & 0x7F)] + typeHash.bytes
    }
}
