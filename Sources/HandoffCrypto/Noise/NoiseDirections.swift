/// The sending direction of a ``NoiseTransport``.
///
/// Do not copy it: a copy would reuse nonces.
package struct NoiseSender: Sendable {
    private var state: NoiseCipherState

    init(state: NoiseCipherState) {
        self.state = state
    }

    /// Returns the next message to the other side.
    ///
    /// - Throws: ``CryptoError`` as ``NoiseTransport/encrypt(_:)`` does.
    package mutating func encrypt(_ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        try Self.check(plaintext)
        return try state.encrypt(plaintext, authenticating: [])
    }

    /// Appends the next message to the other side to `output`.
    ///
    /// - Throws: ``CryptoError`` as ``NoiseTransport/encrypt(_:)`` does; nothing is appended then.
    package mutating func encrypt(_ plaintext: [UInt8], into output: inout [UInt8]) throws(CryptoError) {
        try Self.check(plaintext)
        try state.encrypt(plaintext, authenticating: [], into: &output)
    }

    private static func check(_ plaintext: [UInt8]) throws(CryptoError) {
        guard plaintext.count <= NoiseTransport.maximumPlaintextBytes else {
            throw CryptoError(.malformed, "The plaintext of \(plaintext.count) bytes is too long: split it.")
        }
    }
}

/// The receiving direction of a ``NoiseTransport``.
package struct NoiseReceiver: Sendable {
    private var state: NoiseCipherState

    init(state: NoiseCipherState) {
        self.state = state
    }

    /// Returns the plaintext of the other side's next message.
    ///
    /// - Throws: ``CryptoError`` as ``NoiseTransport/decrypt(_:)`` does.
    package mutating func decrypt(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try decrypt(message[...])
    }

    /// Returns the plaintext of the other side's next message.
    ///
    /// - Throws: ``CryptoError`` as ``NoiseTransport/decrypt(_:)`` does.
    package mutating func decrypt(_ message: ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
        guard message.count <= NoiseHandshake.maximumMessageBytes else {
            throw CryptoError(
                .malformed,
                "Message too long: \(message.count) bytes, at most \(NoiseHandshake.maximumMessageBytes) are allowed."
            )
        }
        return try state.decrypt(message, authenticating: [])
    }
}
