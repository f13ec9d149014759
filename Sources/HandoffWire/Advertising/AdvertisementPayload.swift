package import HandoffModel

/// What an advertisement says once it is opened: six bytes.
///
/// Byte 0 has the web page bit on top and the port less 0x80 below it; bytes 1…5 are the activity type's hash.
package struct AdvertisementPayload: Hashable, Sendable {
    /// How many bytes it has before sealing.
    package static let byteCount = 1 + ActivityTypeHash.byteCount

    /// The dynamic PSMs of LE credit-based channels (Bluetooth Core 6.0, Vol 3, Part A, section 4.22).
    package static let ports: ClosedRange<UInt8> = 0x80...0xFF

    /// Whether a browser can continue where no app does.
    package let hasWebpage: Bool

    /// The PSM on which the origin listens, within ``ports``.
    package let port: UInt8

    /// Which activity type is current.
    package let typeHash: ActivityTypeHash

    /// Says what is current and where it can be asked for.
    ///
    /// - Throws: ``WireError/Code/invalidContent`` when `port` is outside ``ports``.
    package init(hasWebpage: Bool, port: UInt8, typeHash: ActivityTypeHash) throws(WireError) {
        guard Self.ports.contains(port) else {
            throw WireError(.invalidContent, "An advertised port lies in 0x80...0xFF; \(port) does not.")
        }
        self.hasWebpage = hasWebpage
        self.port = port
        self.typeHash = typeHash
    }

    /// Reads six bytes; any six are a payload.
    ///
    /// - Throws: ``WireError/Code/malformed`` for any other count.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count == Self.byteCount else {
            throw WireError(.malformed, "An advertisement has \(Self.byteCount) bytes inside; here are \(bytes.count).")
        }
        do {
            typeHash = try ActivityTypeHash(bytes: bytes.dropFirst())
        } catch {
            throw WireError(error)
        }
        hasWebpage = bytes[0] & 0x80 != 0
        port = bytes[0] | 0x80
    }

    /// The six bytes.
    package func encode() -> [UInt8] {
        [(hasWebpage ? 0x80 : 0) | (port & 0x7F)] + typeHash.bytes
    }
}
