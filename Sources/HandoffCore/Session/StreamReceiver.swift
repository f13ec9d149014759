package import HandoffCrypto
package import HandoffWire

/// The receiving direction of a continuation stream: converts bytes of a channel to pieces, and checks their order.
package struct StreamReceiver: Sendable {
    /// The progress of the other side.
    private enum Stage {
        case opening, writing, ended, done
    }

    /// What carries the stream.
    private enum Path {
        case radio
        /// The radio, of which the other side makes no use any more.
        case leftRadio
        case network
    }

    /// The most bytes that a caller reads from a connection of the local network at a time: those of four full pieces.
    package static let networkReadBytes = 256 * 1024

    private var cipher: NoiseReceiver
    private var frames: FrameDecoder
    private var stage = Stage.opening
    private var path = Path.radio

    /// Continues where a session has stopped.
    ///
    /// - Parameters:
    ///   - cipher: decrypts from now on.
    ///   - frames: the session's frame decoder, with the bytes of the next frames that have already arrived.
    package init(cipher: NoiseReceiver, frames: FrameDecoder) {
        self.cipher = cipher
        self.frames = frames.limited(to: StreamPiece.maximumBytes + NoiseTransport.overheadBytes)
    }

    /// Continues over a connection of the local network, after the other side has moved there.
    ///
    /// - Precondition: the last piece was a move.
    package consuming func moved(to cipher: NoiseReceiver) -> StreamReceiver {
        guard case .leftRadio = path else { preconditionFailure("a stream moves where the other side has said so") }
        path = .network
        self.cipher = cipher
        frames = FrameDecoder(
            maximumLength: StreamPiece.maximumNetworkBytes + NoiseTransport.overheadBytes,
            readBytes: Self.networkReadBytes
        )
        return self
    }

    /// Accepts bytes from the channel, in pieces of any size.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; the stream has then failed.
    package mutating func append(_ bytes: [UInt8]) throws(HandoffError) {
        try SessionErrorMapping.mappingErrors { try frames.append(bytes) }
    }

    /// Returns the next complete piece; nil when more bytes are needed.
    ///
    /// The first piece is an offer, and nothing follows a move on the same path.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`, also for data after the end and for an acknowledged end that
    ///   was not sent.
    package mutating func next() throws(HandoffError) -> StreamPiece? {
        let piece = try SessionErrorMapping.mappingErrors {
            try frames.nextSlice().map { try StreamPiece(decoding: try cipher.decrypt($0)) }
        }
        guard let piece else { return nil }
        try take(piece)
        return piece
    }

    private mutating func take(_ piece: StreamPiece) throws(HandoffError) {
        switch (path, stage, piece) {
        case (.radio, .opening, .offer): stage = .writing
        case (.radio, .writing, .data(let bytes)) where bytes.count > StreamPiece.maximumDataBytes:
            throw HandoffError(.peerMisbehaved, "The peer sent a stream piece that is too long.", violation: .malformed)
        case (.leftRadio, _, _), (_, .opening, _), (.network, _, .offer), (.network, _, .move), (_, .done, .taken):
            throw Self.outOfTurn
        case (.radio, _, .move): path = .leftRadio
        case (_, _, .alive), (_, _, .taken), (_, .writing, .data): break
        case (_, .writing, .end): stage = .ended
        case (_, .ended, .arrived): stage = .done
        default: throw Self.outOfTurn
        }
    }

    private static var outOfTurn: HandoffError {
        HandoffError(.peerMisbehaved, "The peer sent a stream piece out of order.", violation: .outOfTurn)
    }
}
