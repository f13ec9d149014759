/// An X25519 public key, 32 bytes: of a device, or for one session only.
///
/// Any 32 bytes are one. ``DevicePublicKeys`` refuses keys of low order when it is read; for the others the all-zero
/// secret is refused when it is computed (`AgreementKey.sharedSecret`).
package struct AgreementPublicKey: Hashable, Sendable {
    /// The number of bytes in a key (RFC 7748, section 6.1).
    package static let byteCount = 32

    /// The key's 32 bytes.
    package let rawRepresentation: [UInt8]

    /// Makes a key of exactly 32 bytes.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey`` for any other count.
    package init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
        guard rawRepresentation.count == Self.byteCount else {
            throw CryptoError(
                .invalidKey,
                "An agreement key has \(Self.byteCount) bytes, got \(rawRepresentation.count)."
            )
        }
        self.init(unchecked: Array(rawRepresentation))
    }

    /// Makes a key of bytes that are known to be 32.
    init(unchecked rawRepresentation: [UInt8]) {
        self.rawRepresentation = rawRepresentation
    }
}
