package import HandoffCrypto
package import HandoffWire

/// The requesting side of a session; it converts bytes and has no channel.
///
/// The listener's greeting comes first. The caller's first frame carries the request inside the first handshake message; the answer brings the answer, and what does
/// not fit into it follows under the session's key. An acknowledgement ends the session, or the report of a take that
/// the other side acknowledges.
package struct ClientSession: Sendable {
    /// A complete answer, and the bytes that acknowledge it to the origin.
    package struct ReceivedAnswer: Sendable {
        package let answer: Answer
        /// The digest of the origin's circle; nil when the origin did not send it.
        package let circleDigest: [UInt8]?
        package let acknowledgement: [UInt8]
    }

    private var codec: ClientSessionCodec
    private let request: Request

    /// Creates a session with the device whose key is `peer`, which alone can read the request.
    package init(keys: DeviceKeys, peer: DevicePublicKey, request: Request) {
        codec = ClientSessionCodec(keys: keys, peer: peer, maximumLength: Answer.maximumBytes)
        self.request = request
    }

    /// Accepts the listener's greeting in pieces of any size; returns the bytes that open the session once it is
    /// complete, nil before.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`, also when the peer's key is unusable; then the session is over.
    package mutating func open(_ bytes: [UInt8]) throws(HandoffError) -> [UInt8]? {
        try SessionErrorMapping.mappingErrors { () throws -> [UInt8]? in
            try codec.open(bytes, with: request.encode())
        }
    }

    /// Accepts bytes from the channel in pieces of any size; returns nil until the answer is complete.
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

    /// Returns the bytes that report how the take ended for which the activity was fetched.
    ///
    /// - Precondition: an answer was received.
    /// - Throws: ``HandoffError`` when the session's key is exhausted.
    package mutating func report(_ report: TakeReport) throws(HandoffError) -> [UInt8] {
        try SessionErrorMapping.mappingErrors { () throws in try codec.send(report.encode()) }
    }

    /// Accepts bytes from the channel after a report; returns the listener's acknowledgement once it is complete.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the session is over.
    package mutating func receiveAcknowledgement(_ bytes: [UInt8]) throws(HandoffError) -> Acknowledgement? {
        try SessionErrorMapping.mappingErrors { () throws -> Acknowledgement? in
            try codec.receive(bytes).map { try Acknowledgement(decoding: $0) }
        }
    }

    /// Returns the two directions of the stream that the session has become, once `stream` was answered and
    /// acknowledged.
    ///
    /// - Precondition: an answer was received.
    package consuming func stream() -> (sending: StreamSender, receiving: StreamReceiver) {
        codec.stream()
    }
}
