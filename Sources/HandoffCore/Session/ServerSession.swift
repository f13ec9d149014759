package import HandoffCrypto
package import HandoffModel
package import HandoffWire

/// The answering side of a session; it converts bytes and has no channel.
///
/// `State` and `handle` are the listener's column of the table in Docs/Protocol.md, "States of a session". It speaks
/// first: ``greeting`` makes the handshake fresh. Until the first message has proved that a trusted device
/// sent it, the peer is unauthenticated, and at most one frame of ``maximumUnauthenticatedFrame`` bytes is buffered.
/// Anything with an effect waits for the acknowledgement, which proves that the answer has arrived.
package struct ServerSession: SessionStates, Sendable {
    /// The maximum length of the first frame: the handshake's overhead and the largest request with its padding.
    package static let maximumUnauthenticatedFrame =
        NoiseHandshake.overheadBytes + 1 + MessagePadding.size(of: Request.maximumBytes)

    private enum State: Sendable {
        /// Has sent the greeting, and waits for the first message; the peer is unauthenticated.
        case request
        /// Has the request, and prepares the answer.
        case preparing(NoiseHandshake, Request?)
        /// Has answered, and waits for the caller's acknowledgement.
        case acknowledgement(NoiseTransport, Sequel)
        /// Waits for the caller's report of how its take has ended.
        case report(NoiseTransport)
        /// Has the caller's circle or report, or its word that it has saved how a pairing ended, and has not acknowledged
        /// it.
        case judging(NoiseTransport, minimumBytes: Int)
        /// Expects no message any more: one side closes, or the session has become a stream.
        case finished(NoiseTransport)
    }

    /// What follows the caller's acknowledgement of the answer.
    private enum Sequel {
        case nothing, circle, report, pairingOutcome
    }

    /// What a frame has completed.
    enum Event {
        case requested(AuthenticatedRequest)
        case acknowledged(Acknowledgement)
        case reported(TakeReport)
    }

    private let trial: SessionTrial
    private let pairingTrial: SessionTrial?
    private var state = State.request
    var frames = FrameDecoder(maximumLength: maximumUnauthenticatedFrame)
    private let ownGreeting: SessionGreeting
    private let fixedEphemeral: AgreementKey?
    private var reader = SessionMessageReader(maximumLength: Request.maximumBytes)

    /// Creates a session that answers the device that `trial` finds, or else the one that `pairingTrial` finds.
    ///
    /// - Parameters:
    ///   - trial: finds the devices that are trusted.
    ///   - pairingTrial: finds the devices with which a pairing was begun; the code that serves them must restrict what
    ///     they may request.
    ///   - greeting: is sent first; a new one for each session.
    ///   - ephemeralForTestVectors: this side's ephemeral key where a vector fixes it; nil for a new one.
    package init(
        trial: SessionTrial,
        pairingTrial: SessionTrial? = nil,
        greeting: SessionGreeting = .random(),
        ephemeralForTestVectors: AgreementKey? = nil
    ) {
        self.trial = trial
        self.pairingTrial = pairingTrial
        ownGreeting = greeting
        fixedEphemeral = ephemeralForTestVectors
    }

    /// The bytes to send as soon as the channel is open, before anything is received.
    package var greeting: [UInt8] { FrameCodec.encode(ownGreeting.bytes) }

    /// A trusted device and its request.
    package struct AuthenticatedRequest: Hashable, Sendable {
        package let device: DeviceID
        /// Nil when this version does not understand the request: the caller is newer, or its request breaks a rule.
        package let request: Request?
    }

    // MARK: What is received

    /// Accepts bytes from the channel; returns the caller and its request once they are complete, nil before.
    ///
    /// - Throws: ``HandoffError`` with `notTrusted` when no candidate sent this, or `peerMisbehaved`.
    package mutating func receiveRequest(_ bytes: [UInt8]) throws(HandoffError) -> AuthenticatedRequest? {
        guard case .requested(let request)? = try event(in: bytes) else { return nil }
        return request
    }

    /// Accepts bytes from the channel; returns true once the peer has acknowledged the answer.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`.
    package mutating func acknowledge(_ bytes: [UInt8]) throws(HandoffError) -> Bool {
        try receiveAcknowledgement(bytes) != nil
    }

    /// Accepts bytes from the channel; returns the caller's acknowledgement of the answer once it is complete.
    ///
    /// It is encrypted under the session's key: its contents are from the caller itself.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`.
    package mutating func receiveAcknowledgement(_ bytes: [UInt8]) throws(HandoffError) -> Acknowledgement? {
        guard case .acknowledged(let acknowledgement)? = try event(in: bytes) else { return nil }
        return acknowledgement
    }

    /// Accepts bytes from the channel after the acknowledgement of a take's activity; returns the report of how the take
    /// ended once it is complete.
    ///
    /// Begins with what came together with the acknowledgement: `bytes` may be empty.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`.
    package mutating func receiveReport(_ bytes: [UInt8]) throws(HandoffError) -> TakeReport? {
        guard case .reported(let report)? = try event(in: bytes) else { return nil }
        return report
    }

    // MARK: What is sent

    /// Returns the bytes of the answer, with the digest of this device's circle.
    ///
    /// - Precondition: a request was received, and not answered yet.
    /// - Throws: ``HandoffError`` when the handshake cannot be answered.
    package mutating func answer(_ answer: Answer, circleDigest: [UInt8]? = nil) throws(HandoffError) -> [UInt8] {
        guard case .preparing(var handshake, let request) = state else {
            preconditionFailure("an answer follows a request")
        }
        return try SessionErrorMapping.mappingErrors { () throws in
            let fragments = SessionMessageWriter.fragments(
                of: AnswerEnvelope(answer, circleDigest: circleDigest).encode(),
                paddedToAtLeast: MessagePadding.smallestAnswer
            )
            var bytes = FrameCodec.encode(try handshake.writeMessage(fragments[0]))
            var transport = try handshake.split()
            for fragment in fragments.dropFirst() {
                bytes += FrameCodec.encode(try transport.encrypt(fragment))
            }
            let sequel = Self.sequel(of: answer, to: request)
            state = .acknowledgement(transport, sequel)
            // A trusted device may send longer frames than an unauthenticated one, once it has the answer.
            frames = frames.limited(to: FrameCodec.maximumLength)
            reader = SessionMessageReader(
                maximumLength: sequel == .circle ? Acknowledgement.maximumCircleBytes : Acknowledgement.maximumBytes
            )
            return bytes
        }
    }

    /// Returns the bytes of this device's acknowledgement of the caller's circle or report after it has judged it, or of
    /// a pairing's outcome after it has saved it.
    ///
    /// - Precondition: the caller has sent its circle or report, or has acknowledged a pairing's outcome, and that was not
    ///   acknowledged yet.
    /// - Throws: ``HandoffError`` when the session's key is exhausted.
    package mutating func conclude(_ acknowledgement: Acknowledgement) throws(HandoffError) -> [UInt8] {
        guard case .judging(var transport, let minimumBytes) = state else {
            preconditionFailure("a circle, a report and an outcome are acknowledged once")
        }
        return try SessionErrorMapping.mappingErrors { () throws in
            let bytes = try SessionMessageWriter.frames(
                of: acknowledgement.encode(),
                paddedToAtLeast: minimumBytes,
                with: &transport
            )
            state = .finished(transport)
            return bytes
        }
    }

    /// Returns the bytes that tell the caller whether the app has accepted the stream that was granted.
    ///
    /// - Parameter answer: `stream`, or a refusal with the app's reason.
    /// - Precondition: the answer `stream` was acknowledged.
    /// - Throws: ``HandoffError`` when the session's key is exhausted.
    package mutating func open(_ answer: Answer) throws(HandoffError) -> [UInt8] {
        guard case .finished(var transport) = state else { preconditionFailure("a stream comes after the answer") }
        return try SessionErrorMapping.mappingErrors { () throws in
            let bytes = try SessionMessageWriter.frames(
                of: AnswerEnvelope(answer, circleDigest: nil).encode(),
                paddedToAtLeast: MessagePadding.smallestAnswer,
                with: &transport
            )
            state = .finished(transport)
            return bytes
        }
    }

    /// Returns the two directions of the stream that the session has become, once the app has accepted it.
    ///
    /// - Precondition: the answer was acknowledged, and the caller was told that the app has accepted the stream.
    package consuming func stream() -> StreamDirections {
        guard case .finished(let transport) = state else { preconditionFailure("a stream comes after the answer") }
        return streamDirections(over: transport)
    }

    // MARK: The table

    mutating func handle(_ frame: [UInt8]) throws -> Event? {
        switch state {
        case .request:
            return .requested(try authenticate(frame))
        case .acknowledgement(var transport, let sequel):
            let fragment = try transport.decrypt(frame)
            state = .acknowledgement(transport, sequel)
            guard let message = try reader.append(fragment) else { return nil }
            let acknowledgement = try Acknowledgement(decoding: message)
            state =
                switch sequel {
                case .nothing: .finished(transport)
                case .circle: .judging(transport, minimumBytes: MessagePadding.smallestAnswer)
                case .report: .report(transport)
                case .pairingOutcome: .judging(transport, minimumBytes: MessagePadding.smallest)
                }
            reader = SessionMessageReader(maximumLength: TakeReport.maximumBytes)
            return .acknowledged(acknowledgement)
        case .report(var transport):
            let fragment = try transport.decrypt(frame)
            state = .report(transport)
            guard let message = try reader.append(fragment) else { return nil }
            let report = try TakeReport(decoding: message)
            state = .judging(transport, minimumBytes: MessagePadding.smallest)
            return .reported(report)
        case .preparing, .judging, .finished:
            throw HandoffError(.peerMisbehaved, "The caller sent a message out of turn.", violation: .outOfTurn)
        }
    }

    private static func sequel(of answer: Answer, to request: Request?) -> Sequel {
        switch (answer, request) {
        case (.circle, .circle): .circle
        case (.activity, .fetch(let fetch)) where fetch.purpose.take != nil: .report
        case (_, .settle) where answer.isPairingOutcome: .pairingOutcome
        default: .nothing
        }
    }

    private mutating func authenticate(_ frame: [UInt8]) throws -> AuthenticatedRequest {
        let match = try match(frame)
        guard let message = try reader.append(match.payload) else {
            throw HandoffError(
                .peerMisbehaved,
                "The request does not fit into the first message.",
                violation: .invalidFragment
            )
        }
        let request = try? Request(decoding: message)
        state = .preparing(match.handshake, request)
        return AuthenticatedRequest(device: match.device, request: request)
    }

    private func match(_ frame: [UInt8]) throws -> SessionTrial.Match {
        do {
            return try trial.match(frame, greeting: ownGreeting, ephemeralForTestVectors: fixedEphemeral)
        } catch  where error.code == .authenticationFailed {
            if let match = try? pairingTrial?.match(frame, greeting: ownGreeting) { return match }
            throw HandoffError(
                .notTrusted,
                "A device that is not trusted here opened a session.",
                violation: .unknownCaller
            )
        }
    }
}
