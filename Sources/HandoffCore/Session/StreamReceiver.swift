package import HandoffCrypto
package import HandoffWire

/// The direction of a continuation stream in which this side receives: bytes of a channel in, pieces out, in an order
/// that makes sense.
package struct StreamReceiver: Sendable {
    /// How far the other side has come.
    private enum Stage {
        case writing, ended, done
    }

    private var cipher: NoiseReceiver
    private var frames: FrameDecoder
    private var stage = Stage.writing

    /// The longest frame of a piece.
    private static let maximumFrame = StreamPiece.maximumBytes + NoiseTransport.overheadBytes

    /// Goes on where a session has stopped.
    ///
    /// - Parameters:
    ///   - cipher: what deciphers from now on.
    ///   - frames: the session's frames, with what has arrived of the next ones.
    package init(cipher: NoiseReceiver, frames: FrameDecoder) {
        self.cipher = cipher
        self.frames = frames.limited(to: Self.maximumFrame)
    }

    /// Takes in what came from the channel, in pieces of any size.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the stream is over, and not well.
    package mutating func append(_ bytes: [UInt8]) throws(HandoffError) {
        try SessionErrorMapping.mappingErrors { try frames.append(bytes) }
    }

    /// The next whole piece, nil when more bytes are needed.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`, also for bytes after the end and an end without a beginning.
    package mutating func next() throws(HandoffError) -> StreamPiece? {
        let piece = try SessionErrorMapping.mappingErrors {
            try frames.next().map { try StreamPiece(decoding: try cipher.decrypt($0)) }
        }
        guard let piece else { return nil }
        switch (stage, piece) {
        case (.writing, .data): break
        case (.writing, .end): stage = .ended
        case (.ended, .arrived): stage = .done
        default: throw HandoffError(.peerMisbehaved, "The peer's stream goes on after its end.")
        }
        return piece
    }
}
