/// A device's short name for machines: the first 8 bytes of the SHA-256 of its public key.
///
/// The digest is computed in HandoffCrypto; this is its shape and text form, 16 lower-case hexadecimal digits.
package struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// How many bytes an identifier has.
    package static let byteCount = 8

    private let bits: UInt64

    /// Takes exactly eight bytes.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for any other count.
    package init(bytes: some Collection<UInt8>) throws(ModelError) {
        guard bytes.count == Self.byteCount else {
            throw ModelError(
                .invalidIdentifier,
                "A device identifier has \(Self.byteCount) bytes; \(bytes.count) were given."
            )
        }
        bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads the text form: 16 lower-case hexadecimal digits.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for anything else.
    package init(_ text: String) throws(ModelError) {
        guard let bytes = HandoffModel.bytes(fromHexText: text), bytes.count == Self.byteCount else {
            throw ModelError(
                .invalidIdentifier,
                "\(text.debugDescription) is no device identifier: it has 16 digits of 0-9 and a-f."
            )
        }
        try self.init(bytes: bytes)
    }

    /// The eight bytes in the order of the digest.
    package var bytes: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: bits >> (8 * (Self.byteCount - 1 - $0))) }
    }

    /// Whether the text form begins with `prefix`, so that a person need not type all of it.
    ///
    /// An empty prefix matches nothing: it names no device.
    package func matches(prefix: String) -> Bool {
        !prefix.isEmpty && description.utf8.starts(with: prefix.utf8)
    }

    /// The identifier as 16 lower-case hexadecimal digits.
    package var description: String { hexText(bytes) }

    package static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}
