/// The 40 bits that stand for an activity type in an advertisement: the first 5 bytes of the SHA-256 of its text.
///
/// The hash itself is computed in HandoffCrypto; this is only its shape.
package struct ActivityTypeHash: Hashable, Sendable, CustomStringConvertible {
    /// How many bytes a hash has.
    package static let byteCount = 5

    /// The five bytes in the order of the digest.
    package var bytes: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: bits >> (8 * (Self.byteCount - 1 - $0))) }
    }

    /// The hash as a number, the digest's first byte highest.
    private let bits: UInt64

    /// Takes exactly five bytes.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for any other count.
    package init(bytes: some Collection<UInt8>) throws(ModelError) {
        guard bytes.count == Self.byteCount else {
            throw ModelError(
                .invalidIdentifier,
                "An activity type hash has \(Self.byteCount) bytes; \(bytes.count) were given."
            )
        }
        bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The hash as ten lower-case hexadecimal digits.
    package var description: String { hexText(bytes) }
}
