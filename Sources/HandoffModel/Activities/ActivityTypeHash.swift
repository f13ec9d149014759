/// The 32-bit hash of an activity's type and team in an advertisement: the first 4 bytes of a SHA-256.
///
/// `ActivityKind.hash`, in HandoffCrypto, computes it; this type only holds it.
package struct ActivityTypeHash: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes in a hash.
    package static let byteCount = 4

    /// The four bytes in digest order.
    package var bytes: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: bits >> (8 * (Self.byteCount - 1 - $0))) }
    }

    /// The hash as a big-endian number.
    private let bits: UInt32

    /// Makes the hash whose bytes, most significant first, are the lowest 32 bits of `number`.
    package init(number: UInt64) {
        bits = UInt32(truncatingIfNeeded: number)
    }

    /// Makes a hash of exactly four bytes.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for any other count.
    package init(bytes: some Collection<UInt8>) throws(ModelError) {
        guard bytes.count == Self.byteCount else {
            throw ModelError(
                .invalidIdentifier,
                "An activity type hash has \(Self.byteCount) bytes, got \(bytes.count)."
            )
        }
        bits = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The hash as eight lower-case hexadecimal digits.
    package var description: String { hexText(bytes) }
}
