import HandoffCrypto
import HandoffTestVectors
import HandoffWire

/// A session between two devices for the vectors: everything in it that is random follows from a seed.
struct VectorSession {
    /// The side that sends a message.
    enum Side: String, Sendable {
        case caller, listener
    }

    /// One message of one side; everything in hexadecimal but the number.
    struct Turn: Codable, Equatable, Sendable {
        let by: String
        let message: String
        /// The size to which the message is padded.
        let paddedBytes: Int
        let fragments: [String]
        let frames: [String]
    }

    /// A whole session, in the form of Docs/vectors/session.json.
    struct Record: Codable, Equatable, Sendable {
        let greeting: String
        let prologue: String
        let callerPrivateKey: String
        let callerPublicKey: String
        let callerSigningKey: String
        let callerEphemeralPrivateKey: String
        let listenerPrivateKey: String
        let listenerPublicKey: String
        let listenerSigningKey: String
        let listenerEphemeralPrivateKey: String
        let fragmentBytes: Int
        let turns: [Turn]
        let handshakeHash: String
    }

    private let caller: DeviceKeys
    private let listener: DeviceKeys
    private let ephemerals: (caller: AgreementKey, listener: AgreementKey)
    private let greeting: SessionGreeting
    private var handshakes: (caller: NoiseHandshake, listener: NoiseHandshake)
    private var transports: (caller: NoiseTransport, listener: NoiseTransport)?
    private var turns: [Turn] = []

    /// Opens a session between two devices.
    init(_ caller: DeviceKeys, _ listener: DeviceKeys, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        (self.caller, self.listener) = (caller, listener)
        ephemerals = (
            try AgreementKey(rawRepresentation: random.bytes(32)), try AgreementKey(rawRepresentation: random.bytes(32))
        )
        guard let greeting = SessionGreeting(bytes: random.bytes(SessionGreeting.byteCount)) else {
            preconditionFailure("a greeting has 16 bytes")
        }
        self.greeting = greeting
        handshakes = (
            .calling(
                listener.publicKeys,
                as: caller,
                after: greeting,
                ephemeralForTestVectors: ephemerals.caller
            ),
            .answering(
                caller.publicKeys,
                as: listener,
                after: greeting,
                ephemeralForTestVectors: ephemerals.listener
            )
        )
    }

    /// Sends the request: the first message of the handshake.
    mutating func request(_ message: [UInt8]) throws {
        let fragments = Self.fragments(of: message, atLeast: MessagePadding.smallest)
        let body = try handshakes.caller.writeMessage(fragments[0])
        _ = try handshakes.listener.readMessage(body)
        append(.caller, message, fragments, [body])
    }

    /// Sends the answer, whose first fragment is in the second message of the handshake.
    mutating func answer(_ message: [UInt8]) throws {
        let fragments = Self.fragments(of: message, atLeast: MessagePadding.smallestAnswer)
        var bodies = [try handshakes.listener.writeMessage(fragments[0])]
        _ = try handshakes.caller.readMessage(bodies[0])
        var (near, far) = (try handshakes.caller.split(), try handshakes.listener.split())
        for fragment in fragments.dropFirst() {
            bodies.append(try far.encrypt(fragment))
            _ = try near.decrypt(bodies[bodies.count - 1])
        }
        transports = (near, far)
        append(.listener, message, fragments, bodies)
    }

    /// Sends an acknowledgement.
    mutating func acknowledge(by side: Side, _ message: [UInt8], atLeast minimum: Int = MessagePadding.smallest) throws
    {
        guard var (near, far) = transports else { preconditionFailure("an acknowledgement follows an answer") }
        let fragments = Self.fragments(of: message, atLeast: minimum)
        let bodies = try fragments.map { side == .caller ? try near.encrypt($0) : try far.encrypt($0) }
        for body in bodies { _ = side == .caller ? try far.decrypt(body) : try near.decrypt(body) }
        transports = (near, far)
        append(side, message, fragments, bodies)
    }

    /// What was sent.
    var record: Record {
        Record(
            greeting: hex(FrameCodec.encode(greeting.bytes)),
            prologue: hex(greeting.prologue(caller: caller.publicKeys, listener: listener.publicKeys)),
            callerPrivateKey: hex(caller.agreement.rawRepresentation),
            callerPublicKey: hex(caller.publicKeys.agreement.rawRepresentation),
            callerSigningKey: hex(caller.publicKeys.signing.rawRepresentation),
            callerEphemeralPrivateKey: hex(ephemerals.caller.rawRepresentation),
            listenerPrivateKey: hex(listener.agreement.rawRepresentation),
            listenerPublicKey: hex(listener.publicKeys.agreement.rawRepresentation),
            listenerSigningKey: hex(listener.publicKeys.signing.rawRepresentation),
            listenerEphemeralPrivateKey: hex(ephemerals.listener.rawRepresentation),
            fragmentBytes: MessageFragmenter.defaultFragmentBytes,
            turns: turns,
            handshakeHash: hex(transports?.caller.handshakeHash ?? [])
        )
    }

    private static func fragments(of message: [UInt8], atLeast minimum: Int) -> [[UInt8]] {
        MessageFragmenter().fragments(of: MessagePadding.pad(message, toAtLeast: minimum))
    }

    private mutating func append(_ side: Side, _ message: [UInt8], _ fragments: [[UInt8]], _ bodies: [[UInt8]]) {
        turns.append(
            Turn(
                by: side.rawValue,
                message: hex(message),
                paddedBytes: fragments.reduce(0) { $0 + $1.count - 1 },
                fragments: fragments.map { hex($0) },
                frames: bodies.map { hex(FrameCodec.encode($0)) }
            )
        )
    }
}

/// A device of the vectors, whose keys follow from a number.
struct VectorDevice {
    let keys: DeviceKeys
    let name: String

    init(_ number: UInt8, _ name: String) throws {
        keys = DeviceKeys(
            agreement: try AgreementKey(rawRepresentation: [UInt8](repeating: number, count: 32)),
            signing: try SigningKey(rawRepresentation: [UInt8](repeating: 0x80 | number, count: 32))
        )
        self.name = name
    }
}
