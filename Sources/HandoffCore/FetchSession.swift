package import HandoffCrypto
package import HandoffWire

/// The side of a session that asks: bytes in, bytes out, no channel.
///
/// The first frame carries the request inside the first handshake message, the second brings the answer; what does not
/// fit into it follows under the session's key. An acknowledgement ends it.
package struct FetchSession: Sendable {
    /// A whole answer, and the bytes that say so to the origin.
    package struct Answered: Sendable {
        package let answer: Answer
        package let acknowledgement: [UInt8]
    }

    private enum Stage: Sendable {
        case handshake(NoiseHandshake)
        case transport(NoiseTransport)
    }

    private var stage: Stage
    private let request: Request
    private var frames = FrameDecoder(maximumLength: FrameCodec.maximumLength)
    private var assembler = MessageAssembler(maximumLength: Answer.maximumBytes)

    /// A session with the device of the key `peer`, which alone can read the request.
    package init(keys: DeviceKeys, peer: DevicePublicKey, request: Request) {
        stage = .handshake(.initiator(localStatic: keys.agreement, remoteStatic: peer))
        self.request = request
    }

    /// The bytes that open the session.
    ///
    /// - Throws: ``HandoffError`` when the peer's key is unusable.
    package mutating func start() throws(HandoffError) -> [UInt8] {
        guard case .handshake(var handshake) = stage else { preconditionFailure("a session starts once") }
        let fragments = MessageFragmenter().fragments(of: request.encode())
        precondition(fragments.count == 1, "a request fits into one fragment")
        do {
            let message = try handshake.writeMessage(fragments[0])
            stage = .handshake(handshake)
            return FrameCodec.encode(message)
        } catch {
            throw HandoffError(.peerMisbehaved, error.message)
        }
    }

    /// Takes in what came from the channel, in pieces of any size; nil while the answer is not whole.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the session is over.
    package mutating func receive(_ bytes: [UInt8]) throws(HandoffError) -> Answered? {
        try SessionFault.translating { () throws -> Answered? in
            try frames.append(bytes)
            while let frame = try frames.next() {
                guard let message = try assembler.append(try open(frame)) else { continue }
                return try answered(message)
            }
            return nil
        }
    }

    /// The two directions of the stream that the session has become, once a stream was answered and acknowledged.
    ///
    /// - Precondition: an answer was received.
    package consuming func stream() -> (sending: StreamSender, receiving: StreamReceiver) {
        guard case .transport(let transport) = stage else { preconditionFailure("a stream comes after the answer") }
        let (sending, receiving) = transport.directions()
        return (StreamSender(cipher: sending), StreamReceiver(cipher: receiving, frames: frames))
    }

    private mutating func open(_ frame: [UInt8]) throws -> [UInt8] {
        switch stage {
        case .handshake(var handshake):
            let fragment = try handshake.readMessage(frame)
            stage = .transport(try handshake.split())
            return fragment
        case .transport(var transport):
            let fragment = try transport.decrypt(frame)
            stage = .transport(transport)
            return fragment
        }
    }

    private mutating func answered(_ message: [UInt8]) throws -> Answered {
        guard case .transport(var transport) = stage else { preconditionFailure("an answer comes after the handshake") }
        let answer = try Answer(decoding: message)
        let fragment = MessageFragmenter().fragments(of: Acknowledgement().encode())[0]
        let acknowledgement = FrameCodec.encode(try transport.encrypt(fragment))
        stage = .transport(transport)
        return Answered(answer: answer, acknowledgement: acknowledgement)
    }
}
