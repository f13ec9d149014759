/// A device's X25519 public key: 32 bytes, by which the other devices know it.
package struct DevicePublicKey: Hashable, Sendable {
    /// How many bytes a key has (RFC 7748, section 6.1).
    package static let byteCount = 32

    /// The key's 32 bytes.
    package let rawRepresentation: [UInt8]

    /// Takes exactly 32 bytes.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey`` for any other count.
    package init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
        guard rawRepresentation.count == Self.byteCount else {
            throw CryptoError(
                .invalidKey,
                "A public key has \(Self.byteCount) bytes; \(rawRepresentation.count) were given."
            )
        }
        self.rawRepresentation = Array(rawRepresentation)
    }

    /// Takes what is known to be a key.
    init(unchecked rawRepresentation: [UInt8]) {
        self.rawRepresentation = rawRepresentation
    }

    /// The 8 bytes that name the device: the beginning of the SHA-256 of the key.
    package var deviceID: [UInt8] { Array(HandoffDigest.sha256(rawRepresentation).prefix(8)) }
}
