import HandoffCore
import HandoffCrypto
import HandoffSessionVectors
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Stream vectors", .endsWithin(minutes: 10))
struct StreamVectorTests {
    /// A session that becomes a stream; bytes in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let what: String
        /// Why the last piece ends the session; nil when it does not.
        let error: ProtocolViolation?
        let greeting: String
        let callerPrivateKey: String
        let callerSigningKey: String
        let callerEphemeralPrivateKey: String
        let listenerPrivateKey: String
        let listenerSigningKey: String
        let listenerEphemeralPrivateKey: String
        /// Request, answer, acknowledgement, and the answer of the app.
        let messages: [Sent]
        let pieces: [Sent]
    }

    /// What one side sends: a Noise plaintext, and the frame that carries it.
    struct Sent: Codable, Equatable, Sendable {
        let by: String
        let plaintext: String
        let frame: String
    }

    /// What is sent in a case, after the app's answer.
    private struct Conversation {
        let what: String
        var error: ProtocolViolation?
        let pieces: [(by: String, bytes: [UInt8])]
        /// Whether the bytes of the last piece are sent as they are; all others get their length and padding.
        var isLastRaw = false
    }

    private static let conversations: [Conversation] = [
        Conversation(
            what: "data in both directions, and a clean end",
            pieces: [
                ("caller", [0, 0xAA, 0xBB]), ("listener", [0, 0xCC]), ("caller", [0, 0xDD]), ("listener", [0, 0xEE]),
                ("caller", [1]), ("listener", [1]), ("listener", [2]), ("caller", [2]),
            ]
        ),
        Conversation(
            what: "the listener ends first, and no data",
            pieces: [("listener", [1]), ("caller", [1]), ("listener", [2]), ("caller", [2])]
        ),
        Conversation(what: "data without bytes", error: .malformed, pieces: [("caller", [0])]),
        Conversation(what: "an empty piece", error: .malformed, pieces: [("caller", [])]),
        Conversation(what: "a piece of an unknown kind", error: .malformed, pieces: [("caller", [3])]),
        Conversation(what: "an end with data", error: .malformed, pieces: [("listener", [1, 0])]),
        Conversation(
            what: "an arrival with data",
            error: .malformed,
            pieces: [("listener", [1]), ("listener", [2, 0])]
        ),
        Conversation(
            what: "data after the end",
            error: .outOfTurn,
            pieces: [("listener", [1]), ("listener", [0, 1])]
        ),
        Conversation(what: "two ends", error: .outOfTurn, pieces: [("caller", [1]), ("caller", [1])]),
        Conversation(what: "an arrival before the end", error: .outOfTurn, pieces: [("listener", [2])]),
        Conversation(
            what: "a piece without padding",
            error: .invalidPadding,
            pieces: [("caller", [0, 0, 2, 7, 8])],
            isLastRaw: true
        ),
        Conversation(
            what: "a piece whose padding ends in 1",
            error: .invalidPadding,
            pieces: [("caller", padded([0, 7, 8]).dropLast() + [1])],
            isLastRaw: true
        ),
        Conversation(
            what: "a piece with 64 zeros more than needed",
            error: .invalidPadding,
            pieces: [("listener", padded([0, 7, 8]) + [UInt8](repeating: 0, count: 64))],
            isLastRaw: true
        ),
        Conversation(
            what: "a piece with a length beyond its end",
            error: .invalidPadding,
            pieces: [("listener", [0, 0, 62] + [UInt8](repeating: 0, count: 61))],
            isLastRaw: true
        ),
        Conversation(
            what: "a piece of two bytes",
            error: .malformed,
            pieces: [("caller", [0, 0])],
            isLastRaw: true
        ),
        Conversation(
            what: "two arrivals",
            error: .outOfTurn,
            pieces: [("listener", [1]), ("caller", [1]), ("listener", [2]), ("listener", [2])]
        ),
    ]

    private static func make(_ conversation: Conversation, seed: UInt64) throws -> Case {
        let keys = try SessionVectorKeys(seed: seed)
        var (caller, listener) = keys.handshakes()
        let fragments = [
            Request.stream(StreamRequest(activity: 7)).encode(), Answer.stream.encode(), Acknowledgement().encode(),
            Answer.stream.encode(),
        ].map { MessageFragmenter().fragments(of: $0)[0] }
        let first = try caller.writeMessage(fragments[0])
        _ = try listener.readMessage(first)
        let second = try listener.writeMessage(fragments[1])
        _ = try caller.readMessage(second)
        var transports = ["caller": try caller.split(), "listener": try listener.split()]
        func seal(_ by: String, _ plaintext: [UInt8]) throws -> Sent {
            sent(by, plaintext, try transports[by]?.encrypt(plaintext) ?? [])
        }
        return Case(
            what: conversation.what,
            error: conversation.error,
            greeting: hex(FrameCodec.encode(keys.greeting.bytes)),
            callerPrivateKey: hex(keys.caller.agreement.rawRepresentation),
            callerSigningKey: hex(keys.caller.publicKeys.signing.rawRepresentation),
            callerEphemeralPrivateKey: hex(keys.callerEphemeral.rawRepresentation),
            listenerPrivateKey: hex(keys.listener.agreement.rawRepresentation),
            listenerSigningKey: hex(keys.listener.publicKeys.signing.rawRepresentation),
            listenerEphemeralPrivateKey: hex(keys.listenerEphemeral.rawRepresentation),
            messages: [
                sent("caller", fragments[0], first), sent("listener", fragments[1], second),
                try seal("caller", fragments[2]), try seal("listener", fragments[3]),
            ],
            pieces: try conversation.pieces.enumerated().map { index, piece in
                let isRaw = conversation.isLastRaw && index == conversation.pieces.count - 1
                return try seal(piece.by, isRaw ? piece.bytes : Self.padded(piece.bytes))
            }
        )
    }

    /// Returns a piece of that kind (the first byte) with that data, padded to a multiple of 64 bytes.
    private static func padded(_ piece: [UInt8]) -> [UInt8] {
        guard let kind = piece.first else { return [] }
        let count = piece.count - 1
        let content = [kind, UInt8(count >> 8), UInt8(count & 0xFF)] + piece.dropFirst()
        return content + [UInt8](repeating: 0, count: (64 - content.count % 64) % 64)
    }

    private static func sent(_ by: String, _ plaintext: [UInt8], _ body: [UInt8]) -> Sent {
        Sent(by: by, plaintext: hex(plaintext), frame: hex(FrameCodec.encode(body)))
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Streams (Docs/Protocol.md, "Streams"): after request, answer, acknowledgement and the app's answer, each piece is the \
                plaintext of one Noise transport message in a frame. Where there is an `error`, the receiver ends the \
                session for that reason ("What ends a session") at the last piece, and at none before. Everything is \
                hexadecimal; private keys are for testing.
                """,
            cases: try Self.conversations.enumerated().map { try Self.make($1, seed: 40 + UInt64($0)) }
        )
        try file.storeIfAsked("stream")
        #expect(try VectorFile<Case>.load("stream") == file)
    }

    @Test("Both receivers accept the published pieces up to the one that fails")
    func received() throws {
        for vector in try VectorFile<Case>.load("stream").cases {
            var receivers = try Self.receivers(of: vector)
            for (index, piece) in vector.pieces.enumerated() {
                let reader = piece.by == "caller" ? "listener" : "caller"
                let isLast = index == vector.pieces.count - 1
                do {
                    try receivers[reader]?.append(bytes(piece.frame))
                    let read = try receivers[reader]?.next()
                    #expect(read.map { hex($0.encode()) } == piece.plaintext, "\(vector.what)")
                    #expect(!isLast || vector.error == nil, "\(vector.what)")
                } catch {
                    #expect(isLast && error.violation == vector.error, "\(vector.what): \(error)")
                }
            }
        }
    }

    /// The receivers of both sides, after the app's answer.
    private static func receivers(of vector: Case) throws -> [String: StreamReceiver] {
        try #require(vector.messages.count == 4)
        func key(_ text: String) throws -> AgreementKey { try AgreementKey(rawRepresentation: bytes(text)) }
        func keys(_ agreement: AgreementPublicKey, _ signing: String) throws -> DevicePublicKeys {
            try DevicePublicKeys(
                agreement: agreement,
                signing: SigningPublicKey(rawRepresentation: bytes(signing))
            )
        }
        let greeting = try #require(SessionGreeting(bytes: Array(bytes(vector.greeting).dropFirst(2))))
        let prologue = greeting.prologue(
            caller: try keys(try key(vector.callerPrivateKey).publicKey, vector.callerSigningKey),
            listener: try keys(try key(vector.listenerPrivateKey).publicKey, vector.listenerSigningKey)
        )
        var caller = NoiseHandshake.initiator(
            localStatic: try key(vector.callerPrivateKey),
            remoteStatic: try key(vector.listenerPrivateKey).publicKey,
            prologue: prologue,
            ephemeralForTestVectors: try key(vector.callerEphemeralPrivateKey)
        )
        var listener = NoiseHandshake.responder(
            localStatic: try key(vector.listenerPrivateKey),
            remoteStatic: try key(vector.callerPrivateKey).publicKey,
            prologue: prologue,
            ephemeralForTestVectors: try key(vector.listenerEphemeralPrivateKey)
        )
        _ = try listener.readMessage(try caller.writeMessage(bytes(vector.messages[0].plaintext)))
        _ = try caller.readMessage(try listener.writeMessage(bytes(vector.messages[1].plaintext)))
        var far = try listener.split()
        _ = try far.decrypt(Array(bytes(vector.messages[2].frame).dropFirst(2)))
        var near = try caller.split()
        _ = try near.decrypt(Array(bytes(vector.messages[3].frame).dropFirst(2)))
        let frames = FrameDecoder(maximumLength: FrameCodec.maximumLength)
        return [
            "caller": StreamReceiver(cipher: near.directions().receiving, frames: frames),
            "listener": StreamReceiver(cipher: far.directions().receiving, frames: frames),
        ]
    }
}
