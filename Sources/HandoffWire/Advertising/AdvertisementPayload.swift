package import Bluetooth
package import HandoffModel

/// The plaintext of an advertisement: six bytes.
///
/// Byte 0 has, from the highest bit, the web page flag, the document flag, the highest bit of the number within the slot,
/// and in five bits the port; bytes 1…4 are the type hash; byte 5 is the rest of the number. A type hash of four zero
/// bytes, which no known type has, is a withdrawal: there is no activity to continue any more.
package struct AdvertisementPayload: Hashable, Sendable {
    /// The number of bytes before sealing.
    package static let byteCount = 1 + ActivityTypeHash.byteCount + 1

    private static let webpageBit: UInt8 = 0x80
    private static let documentBit: UInt8 = 0x40
    private static let numberBit: UInt8 = 0x20

    /// Whether a browser can continue the activity where no app does; false for a withdrawal.
    package let hasWebpage: Bool

    /// Whether an app for documents can continue the activity where no app does; false for a withdrawal.
    package let hasDocument: Bool

    /// The PSM on which the origin listens.
    package let port: LEPSM

    /// The hash of the current activity's type and team; nil for a withdrawal.
    package let typeHash: ActivityTypeHash?

    /// The place of the advertisement in the order of all that the origin sends.
    package let number: AdvertisementNumber

    /// Makes the payload for an activity of a type, nil for a withdrawal, and the port on which it can be fetched.
    package init(
        hasWebpage: Bool,
        hasDocument: Bool = false,
        port: LEPSM,
        typeHash: ActivityTypeHash?,
        number: AdvertisementNumber
    ) {
        self.hasWebpage = typeHash != nil && hasWebpage
        self.hasDocument = typeHash != nil && hasDocument
        self.port = port
        self.typeHash = typeHash
        self.number = number
    }

    /// Decodes six bytes that were sealed in a slot; any six bytes are valid.
    ///
    /// - Throws: ``WireError/Code/malformed`` for any other count.
    package init(decoding bytes: [UInt8], slot: UInt64) throws(WireError) {
        guard bytes.count == Self.byteCount else {
            throw WireError(
                .malformed,
                "Expected \(Self.byteCount) bytes of advertisement payload, got \(bytes.count)."
            )
        }
        let typeHash: ActivityTypeHash
        do {
            typeHash = try ActivityTypeHash(bytes: bytes[1..<5])
        } catch {
            throw WireError(error)
        }
        let high = UInt16(bytes[0] & Self.numberBit) << 3
        self.init(
            hasWebpage: bytes[0] & Self.webpageBit != 0,
            hasDocument: bytes[0] & Self.documentBit != 0,
            port: LEPSM(lowFiveBits: bytes[0]),
            typeHash: typeHash == .withdrawal ? nil : typeHash,
            number: AdvertisementNumber(slot: slot, lowNineBits: high | UInt16(bytes[5]))
        )
    }

    /// Returns the six bytes; the slot is not in them.
    package func encode() -> [UInt8] {
        let flags = (hasWebpage ? Self.webpageBit : 0) | (hasDocument ? Self.documentBit : 0)
        let high = UInt8(number.index >> 3) & Self.numberBit
        return [flags | high | port.lowFiveBits] + (typeHash ?? .withdrawal).bytes
            + [UInt8(truncatingIfNeeded: number.index)]
    }
}

extension ActivityTypeHash {
    fileprivate static let withdrawal = ActivityTypeHash(number: 0)
}
