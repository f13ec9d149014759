import Crypto

/// An X25519 private key.
package struct AgreementKey: Sendable {
    private let key: Curve25519.KeyAgreement.PrivateKey

    /// The public half.
    package let publicKey: DevicePublicKey

    /// A new key from the system's source of randomness.
    package static func generate() -> AgreementKey {
        AgreementKey(Curve25519.KeyAgreement.PrivateKey())
    }

    /// Takes the 32 bytes of a private key.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey`` for any other count.
    package init(rawRepresentation: [UInt8]) throws(CryptoError) {
        do {
            self.init(try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: rawRepresentation))
        } catch {
            throw CryptoError(.invalidKey, "A private key has 32 bytes; \(rawRepresentation.count) were given.")
        }
    }

    /// The key's 32 bytes, which must never leave the device.
    package var rawRepresentation: [UInt8] { Array(key.rawRepresentation) }

    /// The secret that the holder of `publicKey`'s private half computes too, 32 bytes.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when it is all zero: then the other side chose a public key of low order
    ///   and anybody knows the secret (RFC 7748, section 6.1).
    func sharedSecret(with publicKey: DevicePublicKey) throws(CryptoError) -> [UInt8] {
        let secret: [UInt8]
        do {
            let other = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey.rawRepresentation)
            secret = try key.sharedSecretFromKeyAgreement(with: other).withUnsafeBytes { Array($0) }
        } catch {
            throw CryptoError(.invalidKey, "The public key cannot be used.")
        }
        // All bytes are looked at, so that the time does not tell where the first non-zero one stands.
        guard secret.reduce(0, |) != 0 else {
            throw CryptoError(.weakKey, "The public key is of low order: its device is broken or hostile.")
        }
        return secret
    }

    private init(_ key: Curve25519.KeyAgreement.PrivateKey) {
        self.key = key
        publicKey = DevicePublicKey(unchecked: Array(key.publicKey.rawRepresentation))
    }
}
