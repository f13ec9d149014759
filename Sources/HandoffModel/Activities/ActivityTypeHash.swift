/// The 40-bit hash of an activity type in an advertisement: the first 5 bytes of the SHA-256 of its text.
///
/// `ActivityType.hash`, in HandoffCrypto, computes it; this type only holds it.
package struct ActivityTypeHash: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes in a hash.
    package static let byteCount = 5

    /// The five bytes in digest order.
    package var bytes: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: bits >> (8 * (Self.byteCount - 1 - $0))) }
    }

    /// The hash as a big-endian number.
    private let bits: UInt64

    /// Makes the hash whose bytes, most significant first, are the lowest 40 bits of `number`.
    package init(number: UInt64) {
        bits = number & 0xFF_FFFF_FFFF
    }

    /// Makes a hash of exactly five bytes.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for any other count.
    package init(bytes: some Collection<UInt8>) throws(ModelError) {
        guard bytes.count == Self.byteCount else {
            throw ModelError(
                .invalidIdentifier,
                "An activity type hash has \(Self.byteCount) bytes, got \(bytes.count)."
            )
        }
        bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The hash as ten lower-case hexadecimal digits.
    package var description: String { hexText(bytes) }
}
