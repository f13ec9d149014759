import HandoffCrypto
import HandoffWire

/// The caller's end of a session, converting between messages and bytes.
///
/// The listener's greeting comes first. The first message is sent in the first handshake message; the first message
/// received completes the handshake.
struct ClientSessionCodec: Sendable {
    private enum Stage: Sendable {
        case greeting(DeviceKeys, peer: DevicePublicKeys)
        case handshake(NoiseHandshake)
        case transport(NoiseTransport)
    }

    private var stage: Stage
    private var frames = FrameDecoder(maximumLength: SessionGreeting.byteCount)
    private var assembler: MessageAssembler

    /// Creates a session with the device whose keys are `peer`; its messages have at most `maximumLength` bytes.
    init(keys: DeviceKeys, peer: DevicePublicKeys, maximumLength: Int) {
        stage = .greeting(keys, peer: peer)
        assembler = MessageAssembler(maximumLength: maximumLength)
    }

    /// Accepts the listener's greeting in pieces of any size; returns the bytes that answer it with `message`, which
    /// fits one fragment, once it is complete.
    mutating func open(_ bytes: [UInt8], with message: [UInt8]) throws -> [UInt8]? {
        guard case .greeting(let keys, let peer) = stage else { preconditionFailure("a session opens once") }
        let fragments = MessageFragmenter().fragments(of: message)
        precondition(fragments.count == 1, "a request fits into one fragment")
        try frames.append(bytes)
        guard let frame = try frames.next() else { return nil }
        guard let greeting = SessionGreeting(bytes: frame) else {
            throw HandoffError(.peerMisbehaved, "A greeting has 16 bytes, got \(frame.count).")
        }
        frames = frames.limited(to: FrameCodec.maximumLength)
        var handshake = NoiseHandshake.initiator(
            localStatic: keys.agreement,
            remoteStatic: peer.agreement,
            prologue: greeting.prologue
        )
        let first = try handshake.writeMessage(fragments[0])
        stage = .handshake(handshake)
        return FrameCodec.encode(first)
    }

    /// Accepts bytes from the channel in pieces of any size; returns nil until a message is complete.
    mutating func receive(_ bytes: [UInt8]) throws -> [UInt8]? {
        try frames.append(bytes)
        while let frame = try frames.next() {
            guard let message = try assembler.append(try open(frame)) else { continue }
            return message
        }
        return nil
    }

    /// Returns the frames of a message, encrypted under the session's key.
    mutating func send(_ message: [UInt8]) throws -> [UInt8] {
        guard case .transport(var transport) = stage else { preconditionFailure("an answer comes before what follows") }
        var bytes: [UInt8] = []
        for fragment in MessageFragmenter().fragments(of: message) {
            bytes += FrameCodec.encode(try transport.encrypt(fragment))
        }
        stage = .transport(transport)
        return bytes
    }

    /// Returns the two directions of the stream that the session has become.
    ///
    /// - Precondition: a message was received.
    consuming func stream() -> (sending: StreamSender, receiving: StreamReceiver) {
        guard case .transport(let transport) = stage else { preconditionFailure("a stream comes after the answer") }
        let (sending, receiving) = transport.directions()
        return (StreamSender(cipher: sending), StreamReceiver(cipher: receiving, frames: frames))
    }

    private mutating func open(_ frame: [UInt8]) throws -> [UInt8] {
        switch stage {
        case .greeting: preconditionFailure("a session is opened before anything else is received")
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
}
