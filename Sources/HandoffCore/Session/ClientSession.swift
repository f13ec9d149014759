package import HandoffCrypto
package import HandoffWire

/// The side of a session that asks: bytes in, bytes out, no channel.
///
/// The first frame carries the request inside the first handshake message, the second brings the answer; what does not
/// fit into it follows under the session's key. An acknowledgement ends it.
package struct ClientSession: Sendable {
    /// A whole answer, and the bytes that say so to the origin.
    package struct ReceivedAnswer: Sendable {
        package let answer: Answer
        /// The digest of the origin's circle; nil when it did not say.
        package let circleDigest: [UInt8]?
        package let acknowledgement: [UInt8]
    }

    private var codec: ClientSessionCodec
    private let request: Request

    /// A session with the device of the key `peer`, which alone can read the request.
    package init(keys: DeviceKeys, peer: DevicePublicKey, request: Request) {
        codec = ClientSessionCodec(keys: keys, peer: peer, maximumLength: Answer.maximumBytes)
        self.request = request
    }

    /// The bytes that open the session.
    ///
    /// - Throws: ``HandoffError`` when the peer's key is unusable.
    package mutating func start() throws(HandoffError) -> [UInt8] {
        try codec.start(with: request.encode())
    }

    /// Takes in what came from the channel, in pieces of any size; nil while the answer is not whole.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the session is over.
    package mutating func receive(_ bytes: [UInt8]) throws(HandoffError) -> ReceivedAnswer? {
        try SessionErrorMapping.mappingErrors { () throws -> ReceivedAnswer? in
            guard let message = try codec.receive(bytes) else { return nil }
            let envelope = try AnswerEnvelope(decoding: message)
            return ReceivedAnswer(
                answer: envelope.answer,
                circleDigest: envelope.circleDigest,
                acknowledgement: try codec.send(Acknowledgement().encode())
            )
        }
    }

    /// The two directions of the stream that the session has become, once a stream was answered and acknowledged.
    ///
    /// - Precondition: an answer was received.
    package consuming func stream() -> (sending: StreamSender, receiving: StreamReceiver) {
        codec.stream()
    }
}
