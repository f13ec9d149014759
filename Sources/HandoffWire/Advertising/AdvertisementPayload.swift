package import Bluetooth
package import HandoffModel

/// The plaintext of an advertisement: six bytes.
///
/// Byte 0 has the web page flag in its highest bit and the low bits of the port in the others; bytes 1…5 are the type
/// hash.
package struct AdvertisementPayload: Hashable, Sendable {
    /// The number of bytes before sealing.
    package static let byteCount = 1 + ActivityTypeHash.byteCount

    /// Whether a browser can continue the activity where no app does.
    package let hasWebpage: Bool

    /// The PSM on which the origin listens.
    package let port: LEPSM

    /// The hash of the current activity's type.
    package let typeHash: ActivityTypeHash

    /// Makes the payload for the current activity and the port on which it can be fetched.
    package init(hasWebpage: Bool, port: LEPSM, typeHash: ActivityTypeHash) {
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
        port = LEPSM(lowSevenBits: bytes[0])
    }

    /// Returns the six bytes.
    package func encode() -> [UInt8] {
        [(hasWebpage ? 0x80 : 0) | port.lowSevenBits] + typeHash.bytes
    }
}

extension ActivityTypeHash {
    /// The type hash of a withdrawal advertisement: five zero bytes, which no known type has.
    package static let withdrawal = ActivityTypeHash(number: 0)
}
