package import HandoffModel

/// A device's X25519 public key, 32 bytes, which identifies it to other devices.
package struct DevicePublicKey: Hashable, Sendable {
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
                "A public key has \(Self.byteCount) bytes, got \(rawRepresentation.count)."
            )
        }
        self.rawRepresentation = Array(rawRepresentation)
    }

    /// Makes a key of bytes that are known to be one.
    init(unchecked rawRepresentation: [UInt8]) {
        self.rawRepresentation = rawRepresentation
    }

    /// The id of the device that holds the private half: the first 8 bytes of the SHA-256 of the key.
    package var device: DeviceID {
        DeviceID(number: UInt64(bigEndianBytes: HandoffDigest.sha256(rawRepresentation).prefix(DeviceID.byteCount)))
    }
}
