import Crypto

/// The keys of directed advertisements between two devices, by which one offers the other a circle update.
///
/// Both keys are derived from the devices' own key pairs and do not change with the circle: a device that was away
/// while all others replaced their advertising keys can still be notified.
package struct DirectedAdvertisingKeys: Sendable {
    /// Seals the advertisements of this device to the other.
    package let sending: AdvertisingKey
    /// Opens the advertisements of the other device to this one.
    package let receiving: AdvertisingKey

    /// Derives the keys by HKDF-SHA-256 (RFC 5869) from the static-static secret without salt; the info contains the
    /// sender's and the receiver's public keys.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when the other device's key is of low order.
    package init(local: AgreementKey, remote: AgreementPublicKey) throws(CryptoError) {
        let secret = SymmetricKey(data: try local.sharedSecret(with: remote))
        sending = Self.key(secret, from: local.publicKey, to: remote)
        receiving = Self.key(secret, from: remote, to: local.publicKey)
    }

    private static func key(
        _ secret: SymmetricKey,
        from sender: AgreementPublicKey,
        to receiver: AgreementPublicKey
    ) -> AdvertisingKey {
        let info = Array("handoffd v2 news".utf8) + sender.rawRepresentation + receiver.rawRepresentation
        return AdvertisingKey(HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: info, outputByteCount: 32))
    }
}
