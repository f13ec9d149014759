package import HandoffModel

/// A device's two public keys, which identify it to other devices: 64 bytes, all of which its id covers.
package struct DevicePublicKeys: Hashable, Sendable {
    /// The number of bytes in the encoded keys.
    package static let byteCount = AgreementPublicKey.byteCount + SigningPublicKey.byteCount

    private static let idLabel = Array("handoffd v2 device".utf8)

    /// The X25519 key with which sessions and pairings are made.
    package let agreement: AgreementPublicKey
    /// The Ed25519 key that verifies what the device signs.
    package let signing: SigningPublicKey
    /// The id of the device that holds the private halves: the first 8 bytes of the SHA-256 of a label and the keys.
    package let device: DeviceID

    /// Combines two keys.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when a key is of low order, and so protects or proves nothing;
    ///   ``CryptoError/Code/invalidKey`` when the agreement key is not reduced, so that the same key would have two
    ///   encodings and its device two ids.
    package init(agreement: AgreementPublicKey, signing: SigningPublicKey) throws(CryptoError) {
        guard Curve25519Encoding.isReduced(agreement.rawRepresentation) else {
            throw CryptoError(.invalidKey, "The agreement key is not in its shortest form (RFC 7748, section 5).")
        }
        guard !Curve25519Encoding.isLowOrderX25519(agreement.rawRepresentation) else {
            throw CryptoError(.weakKey, "The agreement key is of low order: its device is broken or hostile.")
        }
        self.init(valid: agreement, signing)
    }

    /// Makes the keys of exactly 64 bytes: the agreement key, then the signing key.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey`` for any other count, and what ``init(agreement:signing:)`` and
    ///   ``SigningPublicKey/init(rawRepresentation:)`` throw.
    package init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
        guard rawRepresentation.count == Self.byteCount else {
            throw CryptoError(
                .invalidKey,
                "A device's public keys have \(Self.byteCount) bytes, got \(rawRepresentation.count)."
            )
        }
        try self.init(
            agreement: AgreementPublicKey(rawRepresentation: rawRepresentation.prefix(AgreementPublicKey.byteCount)),
            signing: SigningPublicKey(rawRepresentation: rawRepresentation.dropFirst(AgreementPublicKey.byteCount))
        )
    }

    /// Combines the keys of two private keys, which are never of low order.
    init(of agreement: AgreementKey, _ signing: SigningKey) {
        self.init(valid: agreement.publicKey, signing.publicKey)
    }

    private init(valid agreement: AgreementPublicKey, _ signing: SigningPublicKey) {
        self.agreement = agreement
        self.signing = signing
        let digest = HandoffDigest.sha256(Self.idLabel + agreement.rawRepresentation + signing.rawRepresentation)
        device = DeviceID(number: UInt64(bigEndianBytes: digest.prefix(DeviceID.byteCount)))
    }

    /// The agreement key, then the signing key: 64 bytes.
    package var rawRepresentation: [UInt8] { agreement.rawRepresentation + signing.rawRepresentation }
}
