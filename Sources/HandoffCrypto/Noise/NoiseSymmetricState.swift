import Crypto

/// The chaining key and the transcript hash of a handshake (Noise rev 34, section 5.2), with SHA-256.
///
/// Its secrets are of a type that zeroes its bytes when the last copy is released.
struct NoiseSymmetricState: Sendable {
    private var chainingKey: SymmetricKey
    private var cipher: NoiseCipherState?

    /// The hash of the transcript so far.
    private(set) var hash: [UInt8]

    /// Initializes the state with the protocol name: zero-padded if it has at most 32 bytes, otherwise hashed.
    init(protocolName: String) {
        let name = Array(protocolName.utf8)
        let padding = [UInt8](repeating: 0, count: max(0, 32 - name.count))
        hash = name.count <= 32 ? name + padding : HandoffDigest.sha256(name)
        chainingKey = SymmetricKey(data: hash)
    }

    /// Mixes in a secret (MixKey).
    mutating func mixKey(_ secret: SymmetricKey) {
        let (chainingKey, key) = Self.derive(chainingKey: chainingKey, secret: secret)
        self.chainingKey = chainingKey
        cipher = NoiseCipherState(key: key)
    }

    /// Returns the same secrets with the transcript of another handshake.
    func withTranscript(_ hash: [UInt8]) -> NoiseSymmetricState {
        var copy = self
        copy.hash = hash
        return copy
    }

    /// Adds public data to the transcript (MixHash).
    mutating func mixHash(_ data: [UInt8]) {
        hash = HandoffDigest.sha256(hash + data)
    }

    /// Encrypts a payload and adds it to the transcript (EncryptAndHash).
    mutating func encryptAndHash(_ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        let ciphertext = try cipher?.encrypt(plaintext, authenticating: hash) ?? plaintext
        mixHash(ciphertext)
        return ciphertext
    }

    /// Decrypts a payload and adds it to the transcript (DecryptAndHash).
    mutating func decryptAndHash(_ ciphertext: [UInt8]) throws(CryptoError) -> [UInt8] {
        let plaintext = try cipher?.decrypt(ciphertext, authenticating: hash) ?? ciphertext
        mixHash(ciphertext)
        return plaintext
    }

    /// Returns the keys for both directions, first the one with which the initiator sends (Split).
    func split() -> (NoiseCipherState, NoiseCipherState) {
        let (first, second) = Self.derive(chainingKey: chainingKey, secret: SymmetricKey(data: [UInt8]()))
        return (NoiseCipherState(key: first), NoiseCipherState(key: second))
    }

    /// Returns a 32-byte secret of both sides for use outside the session: HKDF-SHA-256 (RFC 5869) of the chaining key
    /// with the transcript hash as salt and `label` as info.
    func export(_ label: String) -> [UInt8] {
        let output = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: chainingKey,
            salt: hash,
            info: Array(label.utf8),
            outputByteCount: 32
        )
        return output.withUnsafeBytes { Array($0) }
    }

    /// The HKDF of Noise (rev 34, section 4.3) with two outputs: RFC 5869 with the chaining key as salt and no info.
    private static func derive(chainingKey: SymmetricKey, secret: SymmetricKey) -> (SymmetricKey, SymmetricKey) {
        let output = chainingKey.withUnsafeBytes { salt in
            HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, salt: salt, outputByteCount: 64)
        }
        return output.withUnsafeBytes { bytes in
            (
                SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes[..<32])),
                SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes[32...]))
            )
        }
    }
}
