/// Encrypts and decrypts the messages of a session after its handshake; each direction counts for itself.
///
/// Messages must arrive in the order in which they were sent. A copy would use nonces twice: keep one.
package struct NoiseTransport: Sendable {
    /// The most bytes of plaintext in one message (Noise rev 34, section 3: 65 535 with the tag).
    package static let maximumPlaintextBytes = NoiseHandshake.maximumMessageBytes - overheadBytes

    /// How many bytes a message adds to its plaintext.
    package static let overheadBytes = NoiseCipherState.tagBytes

    private var sending: NoiseCipherState
    private var receiving: NoiseCipherState

    /// A hash that both sides share and that names this session.
    package let handshakeHash: [UInt8]

    init(sending: NoiseCipherState, receiving: NoiseCipherState, handshakeHash: [UInt8]) {
        self.sending = sending
        self.receiving = receiving
        self.handshakeHash = handshakeHash
    }

    /// The two directions for two owners, who from then on work at the same time.
    package consuming func directions() -> (sending: NoiseSender, receiving: NoiseReceiver) {
        (NoiseSender(state: sending), NoiseReceiver(state: receiving))
    }

    /// The next message to the other side.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` above ``maximumPlaintextBytes``, or
    ///   ``CryptoError/Code/nonceExhausted`` after 2^64 - 1 messages.
    package mutating func encrypt(_ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard plaintext.count <= Self.maximumPlaintextBytes else {
            throw CryptoError(.malformed, "A plaintext of \(plaintext.count) bytes is too long: cut it.")
        }
        return try sending.encrypt(plaintext, authenticating: [])
    }

    /// The plaintext of the other side's next message.
    ///
    /// - Throws: ``CryptoError/Code/authenticationFailed`` for a message that was changed, repeated, left out or put in
    ///   another place, ``CryptoError/Code/malformed`` for an impossible length, or
    ///   ``CryptoError/Code/nonceExhausted``. The session is over then.
    package mutating func decrypt(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard message.count <= NoiseHandshake.maximumMessageBytes else {
            throw CryptoError(.malformed, "A message of \(message.count) bytes is none.")
        }
        return try receiving.decrypt(message, authenticating: [])
    }
}
