package import HandoffCrypto
package import HandoffWire

/// The receiving direction of a continuation stream: converts bytes of a channel to pieces, and checks their order.
package struct StreamReceiver: Sendable {
    /// The progress of the other side.
    private enum Stage {
        case writing, ended, done
    }

    private var cipher: NoiseReceiver
    private var frames: FrameDecoder
    private var stage = Stage.writing

    /// The maximum length of a piece's frame.
    private static let maximumFrame = StreamPiece.maximumBytes + NoiseTransport.overheadBytes

    /// Continues where a session has stopped.
    ///
    /// - Parameters:
    ///   - cipher: decrypts from now on.
    ///   - frames: the session's frame decoder, with the bytes of the next frames that have already arrived.
    package init(cipher: NoiseReceiver, frames: FrameDecoder) {
        self.cipher = cipher
        self.frames = frames.limited(to: Self.maximumFrame)
    }

    /// Accepts bytes from the channel, in pieces of any size.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; the stream has then failed.
    package mutating func append(_ bytes: [UInt8]) throws(HandoffError) {
        try SessionErrorMapping.mappingErrors { try frames.append(bytes) }
    }

    /// Returns the next complete piece; nil when more bytes are needed.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`, also for data after the end and for an acknowledged end that
    ///   was not sent.
    package mutating func next() throws(HandoffError) -> StreamPiece? {
        let piece = try SessionErrorMapping.mappingErrors {
            try frames.next().map { try StreamPiece(decoding: try cipher.decrypt($0)) }
        }
        guard let piece else { return nil }
        switch (stage, piece) {
        case (.writing, .data): break
        case (.writing, .end): stage = .ended
        case (.ended, .arrived): stage = .done
        default:
            throw HandoffError(
                .peerMisbehaved,
                "The peer sent a stream piece out of order.",
                violation: .outOfTurn
            )
        }
        return piece
    }
}
