package import HandoffCrypto
package import HandoffWire

/// The requesting side of a session; it converts bytes and has no channel.
///
/// `State` and `handle` are the caller's column of the table in Docs/Protocol.md, "States of a session". The caller
/// judges an answer before it acknowledges it: nothing that it refuses has an effect on the other device.
package struct ClientSession: SessionStates, Sendable {
    /// A complete answer, to be judged before it is acknowledged.
    package struct ReceivedAnswer: Sendable {
        package let answer: Answer
        /// The digest of the listener's circle; nil when the listener did not send it.
        package let circleDigest: [UInt8]?
    }

    private enum State: Sendable {
        /// Waits for the listener's greeting.
        case greeting(DeviceKeys, peer: DevicePublicKeys, fixedEphemeral: AgreementKey?)
        /// Has sent the request, and waits for the first frame of the answer.
        case answer(NoiseHandshake)
        /// Waits for the rest of the answer.
        case restOfAnswer(NoiseTransport)
        /// Has the whole answer, and not acknowledged it.
        case judging(NoiseTransport, Sequel)
        /// Has acknowledged that a stream is granted, and waits until the app there has accepted it.
        case opening(NoiseTransport)
        /// Has acknowledged the listener's circle or the outcome of a pairing, or has reported a take, and waits for the
        /// listener's own acknowledgement.
        case conclusion(NoiseTransport)
        /// Expects no message: the listener closes, the session has become a stream, or this device reports a take once
        /// its outcome is known.
        case finished(NoiseTransport)
    }

    /// What follows this device's acknowledgement of the answer.
    private enum Sequel {
        case nothing, circle, pairingOutcome, stream
    }

    /// What a frame has completed.
    enum Event {
        case greeted([UInt8])
        case answered(ReceivedAnswer)
        case concluded(Acknowledgement)
    }

    private let request: Request
    private var state: State
    var frames = FrameDecoder(maximumLength: SessionGreeting.byteCount)
    private var reader: SessionMessageReader

    /// Creates a session with the device whose keys are `peer`, which alone can read the request.
    package init(
        keys: DeviceKeys,
        peer: DevicePublicKeys,
        request: Request,
        ephemeralForTestVectors: AgreementKey? = nil
    ) {
        self.request = request
        state = .greeting(keys, peer: peer, fixedEphemeral: ephemeralForTestVectors)
        reader = SessionMessageReader(
            maximumLength: request.isCircle ? Answer.maximumCircleBytes : Answer.maximumBytes
        )
    }

    // MARK: What is received

    /// Accepts the listener's greeting in pieces of any size; returns the bytes that open the session once it is
    /// complete, nil before.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`, also when the peer's key is unusable; then the session is over.
    package mutating func open(_ bytes: [UInt8]) throws(HandoffError) -> [UInt8]? {
        guard case .greeting = state else { preconditionFailure("a session opens once") }
        guard case .greeted(let first)? = try event(in: bytes) else { return nil }
        return first
    }

    /// Accepts bytes from the channel in pieces of any size; returns nil until the answer is complete.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the session is over.
    package mutating func receive(_ bytes: [UInt8]) throws(HandoffError) -> ReceivedAnswer? {
        guard case .answered(let answer)? = try event(in: bytes) else { return nil }
        return answer
    }

    /// Accepts bytes from the channel after the acknowledgement of a granted stream; returns whether the app there has
    /// accepted it, as an answer of the same kinds, once it is complete.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the session is over.
    package mutating func receiveOpening(_ bytes: [UInt8]) throws(HandoffError) -> Answer? {
        try receive(bytes)?.answer
    }

    /// Accepts bytes from the channel; returns the listener's acknowledgement of this device's circle, or its word that it
    /// has saved the outcome of a pairing, once it is complete.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the session is over.
    package mutating func receiveConclusion(_ bytes: [UInt8]) throws(HandoffError) -> Acknowledgement? {
        guard case .concluded(let acknowledgement)? = try event(in: bytes) else { return nil }
        return acknowledgement
    }

    // MARK: What is sent

    /// Returns the bytes that acknowledge the answer, after this device has judged it.
    ///
    /// - Parameter acknowledgement: after a circle, with what this device knows after it has taken the listener's state
    ///   in; after the answer that both devices are paired, with this device's key; otherwise empty.
    /// - Precondition: an answer was received, and not acknowledged yet.
    /// - Throws: ``HandoffError`` when the session's key is exhausted.
    package mutating func acknowledge(
        _ acknowledgement: Acknowledgement = Acknowledgement()
    ) throws(HandoffError) -> [UInt8] {
        guard case .judging(var transport, let sequel) = state else {
            preconditionFailure("an answer is acknowledged once")
        }
        return try SessionErrorMapping.mappingErrors { () throws in
            let bytes = try SessionMessageWriter.frames(
                of: acknowledgement.encode(),
                paddedToAtLeast: sequel == .circle ? MessagePadding.smallestAnswer : MessagePadding.smallest,
                with: &transport
            )
            state =
                switch sequel {
                case .nothing: .finished(transport)
                case .circle, .pairingOutcome: .conclusion(transport)
                case .stream: .opening(transport)
                }
            return bytes
        }
    }

    /// Returns the bytes that report how the take ended for which the activity was fetched.
    ///
    /// - Precondition: the activity was acknowledged.
    /// - Throws: ``HandoffError`` when the session's key is exhausted.
    package mutating func report(_ report: TakeReport) throws(HandoffError) -> [UInt8] {
        guard case .finished(var transport) = state else { preconditionFailure("a report comes after the activity") }
        return try SessionErrorMapping.mappingErrors { () throws in
            let bytes = try SessionMessageWriter.frames(
                of: report.encode(),
                paddedToAtLeast: MessagePadding.smallest,
                with: &transport
            )
            state = .conclusion(transport)
            reader = SessionMessageReader(maximumLength: Acknowledgement.maximumBytes)
            return bytes
        }
    }

    /// Accepts bytes from the channel after a report; returns the listener's acknowledgement once it is complete.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the session is over.
    package mutating func receiveAcknowledgement(_ bytes: [UInt8]) throws(HandoffError) -> Acknowledgement? {
        try receiveConclusion(bytes)
    }

    /// Returns the two directions of the stream that the session has become, once the app there has accepted it.
    ///
    /// - Precondition: `receiveOpening` has returned `stream`.
    package consuming func stream() -> StreamDirections {
        guard case .finished(let transport) = state else { preconditionFailure("a stream comes after the answer") }
        return streamDirections(over: transport)
    }

    // MARK: The table

    mutating func handle(_ frame: [UInt8]) throws -> Event? {
        switch state {
        case .greeting(let keys, let peer, let fixedEphemeral):
            return .greeted(try opening(with: frame, keys, peer, fixedEphemeral))
        case .answer(var handshake):
            let fragment = try handshake.readMessage(frame)
            return try appendToAnswer(fragment, try handshake.split())
        case .restOfAnswer(var transport):
            let fragment = try transport.decrypt(frame)
            return try appendToAnswer(fragment, transport)
        case .opening(var transport):
            let fragment = try transport.decrypt(frame)
            state = .opening(transport)
            guard let message = try reader.append(fragment) else { return nil }
            state = .finished(transport)
            return .answered(ReceivedAnswer(answer: try AnswerEnvelope(decoding: message).answer, circleDigest: nil))
        case .conclusion(var transport):
            let fragment = try transport.decrypt(frame)
            state = .conclusion(transport)
            guard let message = try reader.append(fragment) else { return nil }
            state = .finished(transport)
            return .concluded(try Acknowledgement(decoding: message))
        case .judging, .finished:
            throw HandoffError(.peerMisbehaved, "The listener sent a message out of turn.", violation: .outOfTurn)
        }
    }

    private mutating func opening(
        with frame: [UInt8],
        _ keys: DeviceKeys,
        _ peer: DevicePublicKeys,
        _ fixedEphemeral: AgreementKey?
    ) throws -> [UInt8] {
        guard let greeting = SessionGreeting(bytes: frame) else {
            throw HandoffError(
                .peerMisbehaved,
                "A greeting has 16 bytes, got \(frame.count).",
                violation: .invalidGreeting
            )
        }
        frames = frames.limited(to: FrameCodec.maximumLength)
        let fragments = SessionMessageWriter.fragments(of: request.encode(), paddedToAtLeast: MessagePadding.smallest)
        precondition(fragments.count == 1, "a request fits into one fragment")
        var handshake = NoiseHandshake.calling(
            peer,
            as: keys,
            after: greeting,
            ephemeralForTestVectors: fixedEphemeral
        )
        let first = try handshake.writeMessage(fragments[0])
        state = .answer(handshake)
        return FrameCodec.encode(first)
    }

    private mutating func appendToAnswer(_ fragment: [UInt8], _ transport: NoiseTransport) throws -> Event? {
        state = .restOfAnswer(transport)
        guard let message = try reader.append(fragment) else { return nil }
        let envelope = try AnswerEnvelope(decoding: message)
        let sequel = sequel(of: envelope.answer)
        state = .judging(transport, sequel)
        reader = SessionMessageReader(maximumLength: Self.maximumBytes(after: sequel))
        return .answered(ReceivedAnswer(answer: envelope.answer, circleDigest: envelope.circleDigest))
    }

    /// The longest message that the listener sends next.
    private static func maximumBytes(after sequel: Sequel) -> Int {
        switch sequel {
        case .circle: Acknowledgement.maximumCircleBytes
        case .stream: Answer.maximumBytes
        case .nothing, .pairingOutcome: Acknowledgement.maximumBytes
        }
    }

    private func sequel(of answer: Answer) -> Sequel {
        switch (answer, request) {
        case (.circle, .circle): .circle
        case (.stream, .stream): .stream
        case (_, .settle) where answer.isPairingOutcome: .pairingOutcome
        default: .nothing
        }
    }
}

extension Answer {
    /// Whether it tells how a pairing has ended: then the listener acknowledges that it has saved the same.
    var isPairingOutcome: Bool {
        switch self {
        case .settled: true
        case .refusal(let refusal): refusal.code == .notPaired
        case .activity, .circle, .stream, .noted: false
        }
    }
}
