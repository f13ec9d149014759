import Crypto

/// The keys of directed advertisements that follow from the key pairs of two devices, by which one offers the other a
/// circle update as long as it was told no key for that.
///
/// They do not change with the circle: a device that was away while all others replaced their advertising keys can
/// still be notified.
package struct DirectedAdvertisingKeys: Hashable, Sendable {
    /// Seals the advertisements of this device to the other.
    package let sending: SealingKey
    /// Opens the advertisements of the other device to this one.
    package let receiving: SealingKey

    /// Derives the keys of two devices: each day's by HKDF-SHA-256 (RFC 5869) from the static-static Diffie-Hellman
    /// result, without salt; the info contains the sender's and the receiver's public keys and the day.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when the other device's key is of low order.
    package init(local: AgreementKey, remote: AgreementPublicKey) throws(CryptoError) {
        let secret = try local.sharedSecret(with: remote)
        sending = .paired(PairedKey(secret, from: local.publicKey, to: remote))
        receiving = .paired(PairedKey(secret, from: remote, to: local.publicKey))
    }
}
