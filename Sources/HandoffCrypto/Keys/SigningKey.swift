import Crypto

/// An Ed25519 private key (RFC 8032), with which a device signs what others pass on in its name.
package struct SigningKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// The public key.
    package let publicKey: SigningPublicKey

    /// Returns a new key from the system's random number generator.
    package static func generate() -> SigningKey {
        SigningKey(Curve25519.Signing.PrivateKey())
    }

    /// Makes a key of the 32 bytes of a private key.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey`` for any other count.
    package init(rawRepresentation: [UInt8]) throws(CryptoError) {
        do {
            self.init(try Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation))
        } catch {
            throw CryptoError(.invalidKey, "A private signing key has 32 bytes, got \(rawRepresentation.count).")
        }
    }

    /// The key's 32 bytes, which must never leave the device.
    package var rawRepresentation: [UInt8] { Array(key.rawRepresentation) }

    /// Returns the signature over `label` and `bytes`, 64 bytes; equal input has an equal signature.
    ///
    /// - Parameters:
    ///   - label: what the signature is for, such as `handoffd v2 pairing identity`. No label may be the beginning of
    ///     another one.
    ///   - bytes: what is signed.
    package func sign(_ label: String, _ bytes: [UInt8]) -> [UInt8] {
        guard let signature = try? key.signature(for: Array(label.utf8) + bytes) else {
            preconditionFailure("Ed25519 fails only without memory")
        }
        return Array(signature)
    }

    private init(_ key: Curve25519.Signing.PrivateKey) {
        self.key = key
        publicKey = SigningPublicKey(unchecked: Array(key.publicKey.rawRepresentation))
    }
}
