package import HandoffCrypto
package import HandoffWire

/// The sending direction of a continuation stream: converts pieces to bytes of a channel.
package struct StreamSender: Sendable {
    private var cipher: NoiseSender

    /// Continues where a session has stopped.
    package init(cipher: NoiseSender) {
        self.cipher = cipher
    }

    /// Returns the bytes that carry a piece.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when the session's key is exhausted.
    package mutating func encode(_ piece: StreamPiece) throws(HandoffError) -> [UInt8] {
        try SessionErrorMapping.mappingErrors { FrameCodec.encode(try cipher.encrypt(piece.encode())) }
    }
}
