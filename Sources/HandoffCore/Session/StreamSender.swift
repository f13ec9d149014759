package import HandoffCrypto
package import HandoffWire

/// The direction of a continuation stream in which this side sends: pieces in, bytes of a channel out.
package struct StreamSender: Sendable {
    private var cipher: NoiseSender

    /// Goes on where a session has stopped.
    package init(cipher: NoiseSender) {
        self.cipher = cipher
    }

    /// The bytes that carry a piece.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when the session has sent all that it may.
    package mutating func encode(_ piece: StreamPiece) throws(HandoffError) -> [UInt8] {
        try SessionErrorMapping.mappingErrors { FrameCodec.encode(try cipher.encrypt(piece.encode())) }
    }
}
