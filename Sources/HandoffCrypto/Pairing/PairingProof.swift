import Crypto

/// The proof in an introduction that its sender holds the private halves of the public keys that it claims, and is at
/// one end of this channel itself.
package struct PairingProof: Hashable, Sendable {
    /// The signature by the signing key, 64 bytes.
    package let signature: [UInt8]
    /// The HMAC-SHA-256 under a key from the agreement key, 32 bytes.
    package let mac: [UInt8]

    /// Makes a proof of received bytes; one of another length is not valid.
    package init(signature: [UInt8], mac: [UInt8]) {
        self.signature = signature
        self.mac = mac
    }
}

/// One end of the channel of a pairing, to which the proofs of both sides are bound.
///
/// Both parts of a proof cover the handshake hash, the side of the sender and its public keys. The key of the MAC follows
/// from the sender's agreement key and the receiver's ephemeral key. A proof is therefore not valid in another channel,
/// nor in the other direction, and nobody can make it without both private keys.
package struct PairingBinding: Sendable {
    private static let label = "handoffd v2 pairing proof"

    private let isCaller: Bool
    private let handshakeHash: [UInt8]
    private let localEphemeral: AgreementKey
    private let remoteEphemeral: AgreementPublicKey

    init(
        isCaller: Bool,
        handshakeHash: [UInt8],
        localEphemeral: AgreementKey,
        remoteEphemeral: AgreementPublicKey
    ) {
        self.isCaller = isCaller
        self.handshakeHash = handshakeHash
        self.localEphemeral = localEphemeral
        self.remoteEphemeral = remoteEphemeral
    }

    /// Returns the proof of this side, which has these keys.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when the other side's ephemeral key is of low order.
    package func prove(_ keys: DeviceKeys) throws(CryptoError) -> PairingProof {
        try prove(keys.publicKeys, with: keys.agreement, keys.signing)
    }

    /// Checks the proof of the other side, which claims these keys.
    ///
    /// - Throws: ``CryptoError/Code/authenticationFailed`` when it does not prove that the keys are its own.
    package func verify(_ proof: PairingProof, of peer: DevicePublicKeys) throws(CryptoError) {
        let statement = statement(ofCaller: !isCaller, peer)
        let key = macKey(try localEphemeral.sharedSecret(with: peer.agreement))
        guard HMAC<SHA256>.isValidAuthenticationCode(proof.mac, authenticating: statement, using: key),
            peer.signing.isValid(proof.signature, Self.label, statement)
        else {
            throw CryptoError(.authenticationFailed, "It did not prove that its keys are its own.")
        }
    }

    /// Returns what a device with these private keys can say for the public keys, which need not be its own.
    func prove(
        _ publicKeys: DevicePublicKeys,
        with agreement: AgreementKey,
        _ signing: SigningKey
    ) throws(CryptoError) -> PairingProof {
        let statement = statement(ofCaller: isCaller, publicKeys)
        let key = macKey(try agreement.sharedSecret(with: remoteEphemeral))
        return PairingProof(
            signature: signing.sign(Self.label, statement),
            mac: Array(HMAC<SHA256>.authenticationCode(for: statement, using: key))
        )
    }

    /// What a side proves: its channel, its side, and its keys.
    private func statement(ofCaller isCaller: Bool, _ keys: DevicePublicKeys) -> [UInt8] {
        handshakeHash + [isCaller ? 1 : 2] + keys.rawRepresentation
    }

    private func macKey(_ secret: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret,
            salt: handshakeHash,
            info: Array(Self.label.utf8),
            outputByteCount: 32
        )
    }
}
