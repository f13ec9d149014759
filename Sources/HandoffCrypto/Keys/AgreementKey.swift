import Crypto

/// An X25519 private key.
package struct AgreementKey: Sendable {
    private let key: Curve25519.KeyAgreement.PrivateKey

    /// The public key.
    package let publicKey: AgreementPublicKey

    /// Returns a new key from the system's random number generator.
    package static func generate() -> AgreementKey {
        AgreementKey(Curve25519.KeyAgreement.PrivateKey())
    }

    /// Makes a key of the 32 bytes of a private key.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey`` for any other count.
    package init(rawRepresentation: [UInt8]) throws(CryptoError) {
        do {
            self.init(try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: rawRepresentation))
        } catch {
            throw CryptoError(.invalidKey, "A private key has 32 bytes, got \(rawRepresentation.count).")
        }
    }

    /// The key's 32 bytes, which must never leave the device.
    package var rawRepresentation: [UInt8] { Array(key.rawRepresentation) }

    /// Returns the X25519 shared secret with `publicKey`, 32 bytes, which are zeroed when the last copy is released.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when the secret is all zero: then the other side chose a public key of
    ///   low order, and the secret is known to anybody (RFC 7748, section 6.1).
    func sharedSecret(with publicKey: AgreementPublicKey) throws(CryptoError) -> SymmetricKey {
        let secret: SymmetricKey
        do {
            let other = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey.rawRepresentation)
            secret = try key.sharedSecretFromKeyAgreement(with: other).withUnsafeBytes { SymmetricKey(data: $0) }
        } catch {
            throw CryptoError(.invalidKey, "The public key cannot be used.")
        }
        // Examines all bytes, so that the time does not reveal the position of the first non-zero one.
        guard secret.withUnsafeBytes({ $0.reduce(0, |) }) != 0 else {
            throw CryptoError(.weakKey, "The public key is of low order: its device is broken or hostile.")
        }
        return secret
    }

    private init(_ key: Curve25519.KeyAgreement.PrivateKey) {
        self.key = key
        publicKey = AgreementPublicKey(unchecked: Array(key.publicKey.rawRepresentation))
    }
}
