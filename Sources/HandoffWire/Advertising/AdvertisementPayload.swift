package import Bluetooth
package import HandoffModel

/// The plaintext of an advertisement: six bytes.
///
/// Byte 0 has the web page flag in its highest bit and the low bits of the port in the others; bytes 1…4 are the type
/// hash; byte 5 has the document flag in its highest bit and the activity tag in the others. A type hash of four zero
/// bytes, which no known type has, is a withdrawal: there is no activity to continue any more. Its byte 5 is 0, and is
/// ignored.
package struct AdvertisementPayload: Hashable, Sendable {
    /// The number of bytes before sealing.
    package static let byteCount = 1 + ActivityTypeHash.byteCount + 1

    /// Whether a browser can continue the activity where no app does.
    package let hasWebpage: Bool

    /// Whether an app for documents can continue the activity where no app does; false for a withdrawal.
    package let hasDocument: Bool

    /// The PSM on which the origin listens.
    package let port: LEPSM

    /// The current activity; nil for a withdrawal.
    package let activity: AdvertisedActivity?

    /// Makes the payload for the current activity, nil for a withdrawal, and the port on which it can be fetched.
    package init(hasWebpage: Bool, hasDocument: Bool = false, port: LEPSM, activity: AdvertisedActivity?) {
        self.hasWebpage = hasWebpage
        self.hasDocument = activity != nil && hasDocument
        self.port = port
        self.activity = activity
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
            let typeHash = try ActivityTypeHash(bytes: bytes[1..<5])
            activity =
                typeHash == .withdrawal ? nil : AdvertisedActivity(typeHash: typeHash, tag: ActivityTag(bytes[5]))
        } catch {
            throw WireError(error)
        }
        hasWebpage = bytes[0] & 0x80 != 0
        hasDocument = activity != nil && bytes[5] & 0x80 != 0
        port = LEPSM(lowSevenBits: bytes[0])
    }

    /// Returns the six bytes.
    package func encode() -> [UInt8] {
        let first = (hasWebpage ? 0x80 : 0) | port.lowSevenBits
        let last = (hasDocument ? 0x80 : 0) | (activity?.tag.rawValue ?? 0)
        return [first] + (activity?.typeHash ?? .withdrawal).bytes + [last]
    }
}

extension ActivityTypeHash {
    fileprivate static let withdrawal = ActivityTypeHash(number: 0)
}
