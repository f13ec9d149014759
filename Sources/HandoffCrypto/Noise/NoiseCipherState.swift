import Crypto

/// A key and the nonce that counts its uses (Noise rev 34, section 5.1) with ChaChaPoly (section 12.3).
struct NoiseCipherState: Sendable {
    /// How many bytes authenticate each message.
    static let tagBytes = 16

    private let key: SymmetricKey

    /// The nonce of the next message; 2^64 - 1 is never used.
    private(set) var nonce: UInt64

    /// Takes a key of 32 bytes; starts at nonce 0, tests elsewhere.
    init(key: [UInt8], nonce: UInt64 = 0) {
        self.key = SymmetricKey(data: key)
        self.nonce = nonce
    }

    /// The ciphertext and tag of a plaintext.
    mutating func encrypt(_ plaintext: [UInt8], authenticating data: [UInt8]) throws(CryptoError) -> [UInt8] {
        try checkNonce()
        do {
            let box = try ChaChaPoly.seal(plaintext, using: key, nonce: chaChaNonce(), authenticating: data)
            nonce += 1
            return Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw CryptoError(.malformed, "The message cannot be encrypted: \(error).")
        }
    }

    /// The plaintext of a ciphertext and tag; a failure leaves the nonce where it was.
    mutating func decrypt(_ ciphertext: [UInt8], authenticating data: [UInt8]) throws(CryptoError) -> [UInt8] {
        try checkNonce()
        guard ciphertext.count >= Self.tagBytes else {
            throw CryptoError(.malformed, "An encrypted message has at least \(Self.tagBytes) bytes.")
        }
        do {
            let box = try ChaChaPoly.SealedBox(
                nonce: chaChaNonce(),
                ciphertext: ciphertext.dropLast(Self.tagBytes),
                tag: ciphertext.suffix(Self.tagBytes)
            )
            let plaintext = try ChaChaPoly.open(box, using: key, authenticating: data)
            nonce += 1
            return Array(plaintext)
        } catch {
            throw CryptoError(.authenticationFailed, "The message was changed on its way or is not for this session.")
        }
    }

    private func checkNonce() throws(CryptoError) {
        guard nonce < .max else {
            throw CryptoError(.nonceExhausted, "The session has sent all it may: open a new one.")
        }
    }

    /// 32 zero bits and the nonce, lowest byte first (Noise rev 34, section 12.3).
    private func chaChaNonce() throws -> ChaChaPoly.Nonce {
        try ChaChaPoly.Nonce(data: [0, 0, 0, 0] + nonce.littleEndianBytes(8))
    }
}
