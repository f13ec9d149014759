import Crypto

/// A key and the nonce that counts its uses (Noise rev 34, section 5.1), with ChaChaPoly (section 12.3).
struct NoiseCipherState: Sendable {
    /// The number of bytes in the authentication tag of each message.
    static let tagBytes = 16

    private let key: SymmetricKey

    /// The nonce of the next message; 2^64 - 1 is never used.
    private(set) var nonce: UInt64

    /// Creates the state for a key of 32 bytes; the nonce starts at 0 except in tests.
    init(key: SymmetricKey, nonce: UInt64 = 0) {
        self.key = key
        self.nonce = nonce
    }

    /// Creates the state for a key of 32 bytes that need not be zeroed, as in tests.
    init(key: [UInt8], nonce: UInt64 = 0) {
        self.init(key: SymmetricKey(data: key), nonce: nonce)
    }

    /// Returns the ciphertext and tag of a plaintext.
    mutating func encrypt(_ plaintext: [UInt8], authenticating data: [UInt8]) throws(CryptoError) -> [UInt8] {
        var message: [UInt8] = []
        try encrypt(plaintext, authenticating: data, into: &message)
        return message
    }

    /// Appends the ciphertext and tag of a plaintext to `output`; nothing if it fails.
    mutating func encrypt(
        _ plaintext: [UInt8],
        authenticating data: [UInt8],
        into output: inout [UInt8]
    ) throws(CryptoError) {
        try checkNonce()
        do {
            let box = try ChaChaPoly.seal(plaintext, using: key, nonce: chaChaNonce(), authenticating: data)
            nonce += 1
            // The nonce, which the other side knows, and then what is asked for: it is copied once.
            output += box.combined.dropFirst(ChaChaPoly.nonceBytes)
        } catch {
            throw CryptoError(.malformed, "The message cannot be encrypted: \(error).")
        }
    }

    /// Returns the plaintext of a ciphertext and tag; a failure leaves the nonce unchanged.
    mutating func decrypt(_ ciphertext: [UInt8], authenticating data: [UInt8]) throws(CryptoError) -> [UInt8] {
        try decrypt(ciphertext[...], authenticating: data)
    }

    /// Returns the plaintext of a ciphertext and tag in a part of an array; a failure leaves the nonce unchanged.
    mutating func decrypt(_ ciphertext: ArraySlice<UInt8>, authenticating data: [UInt8]) throws(CryptoError) -> [UInt8]
    {
        try checkNonce()
        guard ciphertext.count >= Self.tagBytes else {
            throw CryptoError(
                .malformed,
                "Message too short: \(ciphertext.count) bytes, need at least \(Self.tagBytes)."
            )
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
            throw CryptoError(
                .authenticationFailed,
                "The message was changed in transit or belongs to another session."
            )
        }
    }

    private func checkNonce() throws(CryptoError) {
        guard nonce < .max else {
            throw CryptoError(.nonceExhausted, "The session has used every nonce: open a new session.")
        }
    }

    /// 32 zero bits and the little-endian nonce (Noise rev 34, section 12.3).
    private func chaChaNonce() throws -> ChaChaPoly.Nonce {
        try ChaChaPoly.Nonce(data: [0, 0, 0, 0] + nonce.littleEndianBytes(8))
    }
}

extension ChaChaPoly {
    /// The number of bytes in front of the ciphertext in a combined box (RFC 8439, section 2.8).
    fileprivate static let nonceBytes = 12
}
