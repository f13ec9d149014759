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
        var bytes: [UInt8] = []
        try append(piece.encode(), to: &bytes)
        return bytes
    }

    /// Returns the bytes that carry data, in as many pieces as it takes.
    ///
    /// - Parameters:
    ///   - data: the data.
    ///   - limit: the most bytes of it in one piece.
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when the session's key is exhausted.
    package mutating func encode(data: [UInt8], atMost limit: Int) throws(HandoffError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + (data.count / limit + 1) * Self.overheadBytes)
        var rest = data[...]
        while !rest.isEmpty {
            let part = rest.prefix(limit)
            try append(StreamPiece.encode(data: part), to: &bytes)
            rest = rest.dropFirst(part.count)
        }
        return bytes
    }

    /// What a piece has at most besides its data.
    private static let overheadBytes =
        FrameCodec.lengthBytes + NoiseTransport.overheadBytes + StreamPiece.blockBytes + 3

    private mutating func append(_ piece: [UInt8], to bytes: inout [UInt8]) throws(HandoffError) {
        try SessionErrorMapping.mappingErrors {
            FrameCodec.appendLength(piece.count + NoiseTransport.overheadBytes, to: &bytes)
            try cipher.encrypt(piece, into: &bytes)
        }
    }
}
