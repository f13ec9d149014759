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
        /// Whether the last piece ends the session because it violates a rule.
        let fails: Bool
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
        var fails = true
        let pieces: [(by: String, bytes: [UInt8])]
    }

    private static let conversations: [Conversation] = [
        Conversation(
            what: "data in both directions, and a clean end",
            fails: false,
            pieces: [
                ("caller", [0, 0xAA, 0xBB]), ("listener", [0, 0xCC]), ("caller", [0, 0xDD]), ("listener", [0, 0xEE]),
                ("caller", [1]), ("listener", [1]), ("listener", [2]), ("caller", [2]),
            ]
        ),
        Conversation(
            what: "the listener ends first, and no data",
            fails: false,
            pieces: [("listener", [1]), ("caller", [1]), ("listener", [2]), ("caller", [2])]
        ),
        Conversation(what: "data without bytes", pieces: [("caller", [0])]),
        Conversation(what: "an empty piece", pieces: [("caller", [])]),
        Conversation(what: "a piece of an unknown kind", pieces: [("caller", [3])]),
        Conversation(what: "an end with data", pieces: [("listener", [1, 0])]),
        Conversation(what: "an arrival with data", pieces: [("listener", [1]), ("listener", [2, 0])]),
        Conversation(what: "data after the end", pieces: [("listener", [1]), ("listener", [0, 1])]),
        Conversation(what: "two ends", pieces: [("caller", [1]), ("caller", [1])]),
        Conversation(what: "an arrival before the end", pieces: [("listener", [2])]),
        Conversation(
            what: "two arrivals",
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
            fails: conversation.fails,
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
            pieces: try conversation.pieces.map { try seal($0.by, Self.padded($0.bytes)) }
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
                plaintext of one Noise transport message in a frame. Where `fails` is true, the receiver ends the \
                session at the last piece, and at none before. Everything is hexadecimal; private keys are for testing.
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
                    #expect(!(isLast && vector.fails), "\(vector.what)")
                } catch {
                    #expect(isLast && vector.fails, "\(vector.what): \(error)")
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
