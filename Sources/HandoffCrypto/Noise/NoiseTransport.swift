/// Encrypts and decrypts the messages of a session after its handshake; each direction has its own nonce.
///
/// Messages must arrive in the order in which they were sent. Do not copy it: a copy would reuse nonces.
package struct NoiseTransport: Sendable {
    /// The most bytes of plaintext in one message (Noise rev 34, section 3: 65 535 with the tag).
    package static let maximumPlaintextBytes = NoiseHandshake.maximumMessageBytes - overheadBytes

    /// The number of bytes that a message adds to its plaintext.
    package static let overheadBytes = NoiseCipherState.tagBytes

    private var sending: NoiseCipherState
    private var receiving: NoiseCipherState

    /// The handshake hash, which identifies this session; equal on both sides.
    package let handshakeHash: [UInt8]

    init(sending: NoiseCipherState, receiving: NoiseCipherState, handshakeHash: [UInt8]) {
        self.sending = sending
        self.receiving = receiving
        self.handshakeHash = handshakeHash
    }

    /// Splits the transport into its two directions, which can be used concurrently.
    package consuming func directions() -> (sending: NoiseSender, receiving: NoiseReceiver) {
        (NoiseSender(state: sending), NoiseReceiver(state: receiving))
    }

    /// Returns the next message to the other side.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` above ``maximumPlaintextBytes``, or
    ///   ``CryptoError/Code/nonceExhausted`` after 2^64 - 1 messages.
    package mutating func encrypt(_ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard plaintext.count <= Self.maximumPlaintextBytes else {
            throw CryptoError(.malformed, "The plaintext of \(plaintext.count) bytes is too long: split it.")
        }
        return try sending.encrypt(plaintext, authenticating: [])
    }

    /// Returns the plaintext of the other side's next message.
    ///
    /// - Throws: ``CryptoError/Code/authenticationFailed`` when a message was changed, repeated, dropped or reordered,
    ///   ``CryptoError/Code/malformed`` for an impossible length, or ``CryptoError/Code/nonceExhausted``. The session
    ///   cannot be continued then.
    package mutating func decrypt(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard message.count <= NoiseHandshake.maximumMessageBytes else {
            throw CryptoError(
                .malformed,
                "Message too long: \(message.count) bytes, at most \(NoiseHandshake.maximumMessageBytes) are allowed."
            )
        }
        return try receiving.decrypt(message, authenticating: [])
    }
}
