/// A device identifier: the first 8 bytes of the SHA-256 of the device's public key.
///
/// `DevicePublicKey.device` computes it; this type holds the bytes and their text form, 16 lower-case hexadecimal
/// digits.
package struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The number of bytes in an identifier.
    package static let byteCount = 8

    private let bits: UInt64

    /// Makes the identifier whose bytes, most significant first, are those of `number`.
    package init(number: UInt64) {
        bits = number
    }

    /// Makes an identifier of exactly eight bytes.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for any other count.
    package init(bytes: some Collection<UInt8>) throws(ModelError) {
        guard bytes.count == Self.byteCount else {
            throw ModelError(
                .invalidIdentifier,
                "A device identifier has \(Self.byteCount) bytes, got \(bytes.count)."
            )
        }
        bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Parses the text form: 16 lower-case hexadecimal digits.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for anything else.
    package init(_ text: String) throws(ModelError) {
        guard let bytes = HandoffModel.bytes(fromHexText: text), bytes.count == Self.byteCount else {
            throw ModelError(
                .invalidIdentifier,
                "\(text.debugDescription) is not a device identifier: use 16 digits of 0-9 and a-f."
            )
        }
        try self.init(bytes: bytes)
    }

    /// The eight bytes in digest order.
    package var bytes: [UInt8] {
        withUnsafeBytes(of: bits.bigEndian) { Array($0) }
    }

    /// Whether the text form begins with `prefix`, so that users need not type all of it.
    ///
    /// An empty prefix matches nothing.
    package func matches(prefix: String) -> Bool {
        !prefix.isEmpty && description.utf8.starts(with: prefix.utf8)
    }

    /// The identifier as 16 lower-case hexadecimal digits.
    package var description: String { hexText(bytes) }

    package static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}
