package import HandoffCrypto
package import HandoffModel
package import HandoffWire

/// The answering side of a session; it converts bytes and has no channel.
///
/// It speaks first: ``greeting`` makes the handshake fresh. Until the first message has proved that a trusted device
/// sent it, the peer is unauthenticated, and at most one frame of ``maximumUnauthenticatedFrame`` bytes is buffered.
/// Anything with an effect waits for the acknowledgement, which proves that the answer has arrived.
package struct ServerSession: Sendable {
    /// The maximum length of the first frame: the handshake's overhead and the largest request.
    package static let maximumUnauthenticatedFrame = NoiseHandshake.overheadBytes + 1 + Request.maximumBytes

    private enum Stage: Sendable {
        case waiting
        case authenticated(NoiseHandshake)
        case answered(NoiseTransport)
    }

    private let trial: NoiseResponderTrial<DeviceID>
    private let pairingTrial: NoiseResponderTrial<DeviceID>?
    private var stage = Stage.waiting
    private var frames = FrameDecoder(maximumLength: maximumUnauthenticatedFrame)
    private let ownGreeting: SessionGreeting
    private var circle = MessageAssembler(maximumLength: Acknowledgement.maximumCircleBytes)
    private var report = MessageAssembler(maximumLength: TakeReport.maximumBytes)

    /// Creates a session that answers the device that `trial` finds, or else the one that `pairingTrial` finds.
    ///
    /// - Parameters:
    ///   - trial: finds the devices that are trusted.
    ///   - pairingTrial: finds the devices with which a pairing was begun; the code that serves them must restrict what
    ///     they may request.
    ///   - greeting: is sent first; a new one for each session.
    package init(
        trial: NoiseResponderTrial<DeviceID>,
        pairingTrial: NoiseResponderTrial<DeviceID>? = nil,
        greeting: SessionGreeting = .random()
    ) {
        self.trial = trial
        self.pairingTrial = pairingTrial
        ownGreeting = greeting
    }

    /// The bytes to send as soon as the channel is open, before anything is received.
    package var greeting: [UInt8] { FrameCodec.encode(ownGreeting.bytes) }

    /// A trusted device and its request.
    package struct AuthenticatedRequest: Hashable, Sendable {
        package let device: DeviceID
        /// Nil when the caller is newer and sent a request that this version does not know.
        package let request: Request?
    }

    /// Accepts bytes from the channel; returns the caller and its request once they are complete, nil before.
    ///
    /// - Throws: ``HandoffError`` with `notTrusted` when no candidate sent this, or `peerMisbehaved`.
    package mutating func receiveRequest(_ bytes: [UInt8]) throws(HandoffError) -> AuthenticatedRequest? {
        try SessionErrorMapping.mappingErrors { () throws -> AuthenticatedRequest? in
            try frames.append(bytes)
            guard let frame = try frames.next() else { return nil }
            let match = try match(frame)
            var assembler = MessageAssembler(maximumLength: Request.maximumBytes)
            guard let message = try assembler.append(match.payload) else {
                throw HandoffError(.peerMisbehaved, "The request does not fit into the first message.")
            }
            let request = try Self.request(message)
            if request == .circle { try allowLargeFrames() }
            stage = .authenticated(match.handshake)
            return AuthenticatedRequest(device: match.id, request: request)
        }
    }

    /// Returns the bytes of the answer, with the digest of this device's circle.
    package mutating func answer(_ answer: Answer, circleDigest: [UInt8]? = nil) throws(HandoffError) -> [UInt8] {
        guard case .authenticated(var handshake) = stage else { preconditionFailure("an answer follows a request") }
        return try SessionErrorMapping.mappingErrors { () throws in
            let fragments = MessageFragmenter().fragments(
                of: AnswerEnvelope(answer, circleDigest: circleDigest).encode()
            )
            var bytes = FrameCodec.encode(try handshake.writeMessage(fragments[0]))
            var transport = try handshake.split()
            for fragment in fragments.dropFirst() {
                bytes += FrameCodec.encode(try transport.encrypt(fragment))
            }
            stage = .answered(transport)
            return bytes
        }
    }

    /// Accepts bytes from the channel; returns true once the peer has acknowledged the answer.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`.
    package mutating func acknowledge(_ bytes: [UInt8]) throws(HandoffError) -> Bool {
        guard case .answered(var transport) = stage else { preconditionFailure("an acknowledgement follows an answer") }
        return try SessionErrorMapping.mappingErrors { () throws in
            try frames.append(bytes)
            guard let frame = try frames.next() else { return false }
            var assembler = MessageAssembler(maximumLength: Acknowledgement.maximumBytes)
            guard let message = try assembler.append(try transport.decrypt(frame)) else {
                throw HandoffError(.peerMisbehaved, "The acknowledgement does not fit into one message.")
            }
            stage = .answered(transport)
            _ = try Acknowledgement(decoding: message)
            return true
        }
    }

    /// Returns the two directions of the stream that the session has become, once `stream` was answered and
    /// acknowledged.
    ///
    /// - Precondition: the answer was acknowledged.
    package consuming func stream() -> (sending: StreamSender, receiving: StreamReceiver) {
        guard case .answered(let transport) = stage else { preconditionFailure("a stream comes after the answer") }
        let (sending, receiving) = transport.directions()
        return (StreamSender(cipher: sending), StreamReceiver(cipher: receiving, frames: frames))
    }

    /// Accepts bytes from the channel; returns the caller's acknowledgement of a circle once it is complete.
    ///
    /// It is encrypted under the session's key: its contents are from the caller itself.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`.
    package mutating func acknowledgeCircle(_ bytes: [UInt8]) throws(HandoffError) -> Acknowledgement? {
        guard case .answered(var transport) = stage else { preconditionFailure("an acknowledgement follows an answer") }
        return try SessionErrorMapping.mappingErrors { () throws in
            try frames.append(bytes)
            while let frame = try frames.next() {
                let fragment = try transport.decrypt(frame)
                stage = .answered(transport)
                if let message = try circle.append(fragment) { return try Acknowledgement(decoding: message) }
            }
            return nil
        }
    }

    /// Accepts bytes from the channel after the acknowledgement of a take's activity; returns the report of how the take
    /// ended once it is complete.
    ///
    /// Begins with what came together with the acknowledgement: `bytes` may be empty.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`.
    package mutating func receiveReport(_ bytes: [UInt8]) throws(HandoffError) -> TakeReport? {
        guard case .answered(var transport) = stage else { preconditionFailure("a report follows an answer") }
        return try SessionErrorMapping.mappingErrors { () throws in
            try frames.append(bytes)
            while let frame = try frames.next() {
                let fragment = try transport.decrypt(frame)
                stage = .answered(transport)
                if let message = try report.append(fragment) { return try TakeReport(decoding: message) }
            }
            return nil
        }
    }

    /// Returns the bytes of this device's acknowledgement of a circle, or of a report.
    ///
    /// - Throws: ``HandoffError`` when the session's key is exhausted.
    package mutating func conclude(_ acknowledgement: Acknowledgement) throws(HandoffError) -> [UInt8] {
        guard case .answered(var transport) = stage else { preconditionFailure("a conclusion follows an answer") }
        return try SessionErrorMapping.mappingErrors { () throws in
            var bytes: [UInt8] = []
            for fragment in MessageFragmenter().fragments(of: acknowledgement.encode()) {
                bytes += FrameCodec.encode(try transport.encrypt(fragment))
            }
            stage = .answered(transport)
            return bytes
        }
    }

    /// Raises the frame limit: a trusted device may send longer frames than an unauthenticated one, once it has the
    /// answer.
    private mutating func allowLargeFrames() throws(HandoffError) {
        guard frames.bufferedBytes == 0 else {
            throw HandoffError(.peerMisbehaved, "The caller did not wait for the answer.")
        }
        frames = FrameDecoder(maximumLength: FrameCodec.maximumLength)
    }

    private static func request(_ message: [UInt8]) throws(WireError) -> Request? {
        do {
            return try Request(decoding: message)
        } catch  where error.code == .unknownKind {
            return nil
        }
    }

    private func match(_ frame: [UInt8]) throws -> NoiseResponderTrial<DeviceID>.Match {
        do {
            return try trial.match(frame, prologue: ownGreeting.prologue)
        } catch  where error.code == .authenticationFailed {
            if let match = try? pairingTrial?.match(frame, prologue: ownGreeting.prologue) { return match }
            throw HandoffError(.notTrusted, "A device that is not trusted here opened a session.")
        }
    }
}
