import Crypto

/// The cipher of a key (Noise rev 34, section 12).
package enum NoiseCipher: Hashable, Sendable, CaseIterable {
    /// ChaCha20 with Poly1305 (section 12.3), which is fast on every processor.
    case chaChaPoly
    /// AES-256 in Galois/Counter Mode (section 12.4), which is several times as fast where the processor has instructions
    /// for it, and slow elsewhere.
    case aesGCM

    /// How many messages one key encrypts; nil for any number.
    ///
    /// What an attacker can tell from the messages under one AES key grows with their blocks of 16 bytes. RFC 8446, section
    /// 5.5, allows a connection 2^34.5 of them; these messages, of at most 64 KiB, have 2^32.
    var messagesPerKey: UInt64? {
        switch self {
        case .chaChaPoly: nil
        case .aesGCM: 1 << 20
        }
    }

    /// Returns the ciphertext of a plaintext, and its tag.
    func seal(
        _ plaintext: [UInt8],
        _ key: SymmetricKey,
        _ nonce: UInt64,
        authenticating data: [UInt8]
    ) throws -> (ciphertext: some Collection<UInt8>, tag: some Collection<UInt8>) {
        switch self {
        case .chaChaPoly:
            let box = try ChaChaPoly.seal(plaintext, using: key, nonce: chaChaNonce(nonce), authenticating: data)
            return (box.ciphertext, box.tag)
        case .aesGCM:
            let box = try AES.GCM.seal(plaintext, using: key, nonce: aesNonce(nonce), authenticating: data)
            return (box.ciphertext, box.tag)
        }
    }

    /// Returns the key that follows one: what it makes of 32 zeros with the nonce that no message has (section 4.2).
    func key(after key: SymmetricKey) throws -> SymmetricKey {
        let zeros = [UInt8](repeating: 0, count: 32)
        // Through no array: those are not zeroed.
        switch self {
        case .chaChaPoly:
            return SymmetricKey(data: try ChaChaPoly.seal(zeros, using: key, nonce: chaChaNonce(.max)).ciphertext)
        case .aesGCM:
            return SymmetricKey(data: try AES.GCM.seal(zeros, using: key, nonce: aesNonce(.max)).ciphertext)
        }
    }

    /// Returns the plaintext of a ciphertext with this tag.
    func open(
        _ ciphertext: ArraySlice<UInt8>,
        tag: ArraySlice<UInt8>,
        _ key: SymmetricKey,
        _ nonce: UInt64,
        authenticating data: [UInt8]
    ) throws -> [UInt8] {
        switch self {
        case .chaChaPoly:
            let box = try ChaChaPoly.SealedBox(nonce: chaChaNonce(nonce), ciphertext: ciphertext, tag: tag)
            return Array(try ChaChaPoly.open(box, using: key, authenticating: data))
        case .aesGCM:
            let box = try AES.GCM.SealedBox(nonce: aesNonce(nonce), ciphertext: ciphertext, tag: tag)
            return Array(try AES.GCM.open(box, using: key, authenticating: data))
        }
    }

    /// 32 zero bits and the little-endian nonce (section 12.3).
    private func chaChaNonce(_ nonce: UInt64) throws -> ChaChaPoly.Nonce {
        try ChaChaPoly.Nonce(data: [0, 0, 0, 0] + nonce.littleEndianBytes(8))
    }

    /// 32 zero bits and the big-endian nonce (section 12.4).
    private func aesNonce(_ nonce: UInt64) throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(data: [0, 0, 0, 0] + nonce.littleEndianBytes(8).reversed())
    }
}
