/// The direction of a ``NoiseTransport`` in which this side sends.
///
/// A copy would use nonces twice: keep one.
package struct NoiseSender: Sendable {
    private var state: NoiseCipherState

    init(state: NoiseCipherState) {
        self.state = state
    }

    /// The next message to the other side; see ``NoiseTransport/encrypt(_:)``.
    ///
    /// - Throws: ``CryptoError``, as it does.
    package mutating func encrypt(_ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard plaintext.count <= NoiseTransport.maximumPlaintextBytes else {
            throw CryptoError(.malformed, "A plaintext of \(plaintext.count) bytes is too long: cut it.")
        }
        return try state.encrypt(plaintext, authenticating: [])
    }
}

/// The direction of a ``NoiseTransport`` in which this side receives.
package struct NoiseReceiver: Sendable {
    private var state: NoiseCipherState

    init(state: NoiseCipherState) {
        self.state = state
    }

    /// The plaintext of the other side's next message; see ``NoiseTransport/decrypt(_:)``.
    ///
    /// - Throws: ``CryptoError``, as it does.
    package mutating func decrypt(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard message.count <= NoiseHandshake.maximumMessageBytes else {
            throw CryptoError(.malformed, "A message of \(message.count) bytes is none.")
        }
        return try state.decrypt(message, authenticating: [])
    }
}
