import Crypto

/// A key of a cipher, and the nonce that counts its uses (Noise rev 34, section 5.1).
///
/// After ``NoiseCipher/messagesPerKey`` messages another key follows from it (section 11.3); the nonce goes on counting.
struct NoiseCipherState: Sendable {
    /// The number of bytes in the authentication tag of each message.
    static let tagBytes = 16

    private let cipher: NoiseCipher
    private var key: SymmetricKey

    /// The nonce of the next message; 2^64 - 1 is never used for one.
    private(set) var nonce: UInt64

    /// Creates the state for a key of 32 bytes; the nonce starts at 0 except in tests.
    init(_ cipher: NoiseCipher = .chaChaPoly, key: SymmetricKey, nonce: UInt64 = 0) {
        self.cipher = cipher
        self.key = key
        self.nonce = nonce
    }

    /// Creates the state for a key of 32 bytes that need not be zeroed, as in tests.
    init(_ cipher: NoiseCipher = .chaChaPoly, key: [UInt8], nonce: UInt64 = 0) {
        self.init(cipher, key: SymmetricKey(data: key), nonce: nonce)
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
            let sealed = try cipher.seal(plaintext, key, nonce, authenticating: data)
            try advance()
            output += sealed.ciphertext
            output += sealed.tag
        } catch {
            throw CryptoError(.malformed, "The message cannot be encrypted.")
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
            let plaintext = try cipher.open(
                ciphertext.dropLast(Self.tagBytes),
                tag: ciphertext.suffix(Self.tagBytes),
                key,
                nonce,
                authenticating: data
            )
            try advance()
            return plaintext
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

    /// Counts a message, and replaces the key when it has encrypted enough.
    private mutating func advance() throws {
        nonce += 1
        guard let limit = cipher.messagesPerKey, nonce.isMultiple(of: limit) else { return }
        key = try cipher.key(after: key)
    }
}
