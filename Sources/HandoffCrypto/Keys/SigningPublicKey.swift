import Crypto

/// An Ed25519 public key (RFC 8032), 32 bytes, which verifies what its device has signed.
package struct SigningPublicKey: Hashable, Sendable {
    /// The number of bytes in a key (RFC 8032, section 5.1.5).
    package static let byteCount = 32

    /// The number of bytes in a signature (RFC 8032, section 5.1.6).
    package static let signatureByteCount = 64

    /// The key's 32 bytes.
    package let rawRepresentation: [UInt8]

    /// Makes a key of exactly 32 bytes.
    ///
    /// Bytes that encode no point of the curve are accepted, because no signature is valid under them.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey`` for any other count, or a coordinate that is not reduced;
    ///   ``CryptoError/Code/weakKey`` for a point of low order, under which anybody can sign.
    package init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
        let bytes = Array(rawRepresentation)
        guard bytes.count == Self.byteCount else {
            throw CryptoError(.invalidKey, "A signing key has \(Self.byteCount) bytes, got \(bytes.count).")
        }
        guard Curve25519Encoding.isReduced(Curve25519Encoding.withoutSign(bytes)) else {
            throw CryptoError(.invalidKey, "The signing key is not in its shortest form (RFC 8032, section 5.1.3).")
        }
        guard !Curve25519Encoding.isLowOrderEd25519(bytes) else {
            throw CryptoError(.weakKey, "The signing key is of low order: its device is broken or hostile.")
        }
        self.init(unchecked: bytes)
    }

    /// Makes a key of bytes that are known to be one.
    init(unchecked rawRepresentation: [UInt8]) {
        self.rawRepresentation = rawRepresentation
    }

    /// Returns whether `signature` was made by the private half over `label` and `bytes`.
    ///
    /// - Parameters:
    ///   - signature: 64 bytes; no other count is valid.
    ///   - label: what the signature is for; a signature for one purpose is not valid for another.
    ///   - bytes: what was signed.
    package func isValid(_ signature: [UInt8], _ label: String, _ bytes: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: rawRepresentation) else { return false }
        return key.isValidSignature(signature, for: Array(label.utf8) + bytes)
    }
}
