import HandoffCore
import HandoffCrypto
import HandoffSessionVectors
import HandoffTestVectors
import HandoffWire

/// Writes what both sides send in a session, of which the last bytes may break a rule.
struct RefusalScript {
    enum Side: String, Codable, Sendable {
        case caller, listener

        var other: Side { self == .caller ? .listener : .caller }
    }

    /// What one side does.
    enum Step: Sendable {
        /// The listener sends the greeting.
        case greet
        /// Sends a message with that plaintext.
        case send(Side, [UInt8])
        /// Sends it with one bit flipped, the first of the tag.
        case alter(Side, [UInt8])
        /// Encrypts it, and sends nothing.
        case lose(Side, [UInt8])
        /// Sends the bytes that it has sent last once more.
        case again(Side)
        /// Sends the bytes that the other side has sent last.
        case reflect(Side)
        /// Sends these bytes, which are no message.
        case raw(Side, [UInt8])
        /// The caller sends a first message that answers another greeting.
        case replay([UInt8])
        /// A device that the listener does not know sends a first message.
        case intrude([UInt8])
    }

    /// Bytes that one side sends, in hexadecimal.
    struct Sent: Codable, Equatable, Sendable {
        let by: Side
        /// A whole frame with its length, or its beginning where that is refused already.
        let bytes: String
        /// What the frame holds, if it is the last one and decrypts in its place.
        let plaintext: String?
    }

    private let keys: SessionVectorKeys
    private let strangers: SessionVectorKeys
    private var handshakes: [Side: NoiseHandshake]
    private var transports: [Side: NoiseTransport] = [:]
    private var sent: [Sent] = []

    private init(keys: SessionVectorKeys, strangers: SessionVectorKeys) {
        self.keys = keys
        self.strangers = strangers
        let (caller, listener) = keys.handshakes()
        handshakes = [.caller: caller, .listener: listener]
    }

    /// Returns what is sent in these steps, of which `strangers` are no part but for `replay` and `intrude`.
    static func run(_ steps: [Step], keys: SessionVectorKeys, strangers: SessionVectorKeys) throws -> [Sent] {
        var script = RefusalScript(keys: keys, strangers: strangers)
        for step in steps { try script.take(step) }
        // The messages of a whole session are in session.json.
        return script.sent.dropLast().map { Sent(by: $0.by, bytes: $0.bytes, plaintext: nil) } + script.sent.suffix(1)
    }

    private mutating func take(_ step: Step) throws {
        switch step {
        case .greet:
            record(.listener, FrameCodec.encode(keys.greeting.bytes))
        case .send(let side, let plaintext):
            record(side, FrameCodec.encode(try encrypt(plaintext, by: side)), plaintext)
        case .alter(let side, let plaintext):
            var frame = FrameCodec.encode(try encrypt(plaintext, by: side))
            frame[frame.count - 16] ^= 0x80
            record(side, frame)
        case .lose(let side, let plaintext):
            _ = try encrypt(plaintext, by: side)
        case .again(let side):
            try repeatLast(of: side, by: side)
        case .reflect(let side):
            try repeatLast(of: side.other, by: side)
        case .raw(let side, let bytes):
            record(side, bytes)
        case .replay(let plaintext):
            try recordFirst(plaintext, of: keys.caller, after: strangers.greeting)
        case .intrude(let plaintext):
            try recordFirst(plaintext, of: strangers.caller, after: keys.greeting)
        }
    }

    /// The next Noise message of that side, which the other side has read unless it is of the transport.
    private mutating func encrypt(_ plaintext: [UInt8], by side: Side) throws -> [UInt8] {
        if let body = try transports[side]?.encrypt(plaintext) { return body }
        guard let body = try handshakes[side]?.writeMessage(plaintext) else { preconditionFailure("no handshake") }
        _ = try handshakes[side.other]?.readMessage(body)
        for (side, handshake) in handshakes where handshake.isFinished { transports[side] = try handshake.split() }
        return body
    }

    private mutating func recordFirst(
        _ plaintext: [UInt8],
        of device: DeviceKeys,
        after greeting: SessionGreeting
    ) throws {
        var handshake = NoiseHandshake.calling(
            keys.listener.publicKeys,
            as: device,
            after: greeting,
            ephemeralForTestVectors: keys.callerEphemeral
        )
        record(.caller, FrameCodec.encode(try handshake.writeMessage(plaintext)))
    }

    private mutating func repeatLast(of sender: Side, by side: Side) throws {
        guard let last = sent.last(where: { $0.by == sender }) else { preconditionFailure("nothing was sent") }
        record(side, bytes(last.bytes))
    }

    private mutating func record(_ side: Side, _ bytes: [UInt8], _ plaintext: [UInt8]? = nil) {
        sent.append(Sent(by: side, bytes: hex(bytes), plaintext: plaintext.map { hex($0) }))
    }
}
