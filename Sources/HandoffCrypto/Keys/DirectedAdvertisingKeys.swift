import Crypto

/// The keys under which two devices advertise to each other alone, when one has news for the other.
///
/// Both follow from the devices' own key pairs, and so do not change with the circle: a device that was away while all
/// others replaced their advertising keys can still be told.
package struct DirectedAdvertisingKeys: Sendable {
    /// Seals what this device advertises to the other one.
    package let sending: AdvertisingKey
    /// Opens what the other one advertises to this device.
    package let receiving: AdvertisingKey

    /// HKDF-SHA-256 (RFC 5869) of the static-static secret without salt; the info says who sends and who receives.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when the other's key is of low order.
    package init(local: AgreementKey, remote: DevicePublicKey) throws(CryptoError) {
        let secret = SymmetricKey(data: try local.sharedSecret(with: remote))
        sending = Self.key(secret, from: local.publicKey, to: remote)
        receiving = Self.key(secret, from: remote, to: local.publicKey)
    }

    private static func key(
        _ secret: SymmetricKey,
        from sender: DevicePublicKey,
        to receiver: DevicePublicKey
    ) -> AdvertisingKey {
        let info = Array("handoffd v1 news".utf8) + sender.rawRepresentation + receiver.rawRepresentation
        return AdvertisingKey(HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: info, outputByteCount: 32))
    }
}
