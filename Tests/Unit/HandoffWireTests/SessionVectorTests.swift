import HandoffCrypto
import HandoffModel
import HandoffSessionVectors
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

/// Wire, fragments, frames and handshake together, as they are on a channel.
@Suite("Session vectors", .endsWithin(minutes: 10))
struct SessionVectorTests {
    /// One direction's bytes of one turn.
    struct Turn: Codable, Equatable, Sendable {
        let by: String
        let message: String
        /// The size to which the message is padded.
        let paddedBytes: Int
        let fragments: [String]
        let frames: [String]
    }

    /// A whole session; everything in hexadecimal but the numbers.
    struct Case: Codable, Equatable, Sendable {
        let what: String
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

    /// A message after the answer: its sender, and its bytes.
    private typealias Later = (by: String, message: [UInt8])

    private static let acknowledgement: Later = ("caller", Acknowledgement().encode())

    private static func fetch(for purpose: FetchRequest.Purpose = .preview) throws -> Request {
        .fetch(
            FetchRequest(number: AdvertisementNumber(slot: 1_994_702, lowNineBits: 5), purpose: purpose)
        )
    }

    private static func make(
        what: String,
        seed: UInt64,
        fragmentBytes: Int = 16_384,
        request: Request? = nil,
        answer: Answer,
        then later: [Later] = [acknowledgement]
    ) throws -> Case {
        let keys = try SessionVectorKeys(seed: seed)
        var (caller, listener) = keys.handshakes()
        let fragmenter = MessageFragmenter(fragmentBytes: fragmentBytes)
        let request = try (request ?? fetch()).encode()
        let requestFragments = MessageFragmenter().fragments(of: MessagePadding.pad(request))
        let requestBodies = try requestFragments.map { try caller.writeMessage($0) }
        _ = try listener.readMessage(requestBodies[0])

        let padded = MessagePadding.pad(answer.encode(), toAtLeast: MessagePadding.smallestAnswer)
        let answerFragments = fragmenter.fragments(of: padded)
        var answerBodies = [try listener.writeMessage(answerFragments[0])]
        _ = try caller.readMessage(answerBodies[0])
        var (near, far) = (try caller.split(), try listener.split())
        for fragment in answerFragments.dropFirst() { answerBodies.append(try far.encrypt(fragment)) }

        // An acknowledgement may take several fragments, a request may not.
        var turns = [
            turn("caller", request, requestFragments, requestBodies),
            turn("listener", answer.encode(), answerFragments, answerBodies),
        ]
        for (by, message) in later {
            let fragments = fragmenter.fragments(of: MessagePadding.pad(message))
            let bodies = try fragments.map { by == "caller" ? try near.encrypt($0) : try far.encrypt($0) }
            turns.append(turn(by, message, fragments, bodies))
        }
        return describe(what, keys, fragmentBytes: fragmentBytes, turns: turns, handshakeHash: near.handshakeHash)
    }

    private static func describe(
        _ what: String,
        _ keys: SessionVectorKeys,
        fragmentBytes: Int,
        turns: [Turn],
        handshakeHash: [UInt8]
    ) -> Case {
        Case(
            what: what,
            greeting: hex(FrameCodec.encode(keys.greeting.bytes)),
            prologue: hex(
                keys.greeting.prologue(caller: keys.caller.publicKeys, listener: keys.listener.publicKeys)
            ),
            callerPrivateKey: hex(keys.caller.agreement.rawRepresentation),
            callerPublicKey: hex(keys.caller.publicKeys.agreement.rawRepresentation),
            callerSigningKey: hex(keys.caller.publicKeys.signing.rawRepresentation),
            callerEphemeralPrivateKey: hex(keys.callerEphemeral.rawRepresentation),
            listenerPrivateKey: hex(keys.listener.agreement.rawRepresentation),
            listenerPublicKey: hex(keys.listener.publicKeys.agreement.rawRepresentation),
            listenerSigningKey: hex(keys.listener.publicKeys.signing.rawRepresentation),
            listenerEphemeralPrivateKey: hex(keys.listenerEphemeral.rawRepresentation),
            fragmentBytes: fragmentBytes,
            turns: turns,
            handshakeHash: hex(handshakeHash)
        )
    }

    private static func turn(_ by: String, _ message: [UInt8], _ fragments: [[UInt8]], _ bodies: [[UInt8]]) -> Turn {
        Turn(
            by: by,
            message: hex(message),
            paddedBytes: fragments.reduce(0) { $0 + $1.count - 1 },
            fragments: fragments.map { hex($0) },
            frames: bodies.map { hex(FrameCodec.encode($0)) }
        )
    }

    private static func file() throws -> VectorFile<Case> {
        let activity = try Activity(type: ActivityType("a.b"), title: String(repeating: "long title ", count: 20))
        let take = try TakeID(bytes: [UInt8](1...8))
        let report = TakeReport(take, .continued(.browser))
        return VectorFile(
            about: """
                Whole sessions (Docs/Protocol.md, "Session"). Everything is hexadecimal. Private keys are for testing; \
                ephemeral keys and greetings are random in real sessions. The listener sends the greeting first. A frame \
                after it holds one Noise message: the first of each side is a handshake message, the others are \
                transport messages.
                """,
            cases: [
                try make(
                    what: "an activity in one fragment",
                    seed: 12,
                    fragmentBytes: 16_384,
                    answer: .activity(activity)
                ),
                try make(
                    what: "the same in fragments of 300 bytes",
                    seed: 13,
                    fragmentBytes: 300,
                    answer: .activity(activity)
                ),
                try make(
                    what: "the same in fragments of 48 bytes, which also cut the acknowledgement",
                    seed: 16,
                    fragmentBytes: 48,
                    answer: .activity(activity)
                ),
                try make(
                    what: "a refusal",
                    seed: 14,
                    fragmentBytes: 16_384,
                    answer: .refusal(Refusal(.noLongerCurrent, "Gone."))
                ),
                try make(
                    what: "a take, reported in the same session",
                    seed: 16,
                    request: fetch(for: .take(take)),
                    answer: .activity(activity),
                    then: [
                        acknowledgement, ("caller", report.encode()), ("listener", Acknowledgement().encode()),
                    ]
                ),
                try make(
                    what: "the report of a take in a later session",
                    seed: 17,
                    request: .report(TakeReport(take, .failed(.appFailed))),
                    answer: .noted
                ),
            ]
        )
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = try Self.file()
        try file.storeIfAsked("session")
        #expect(try VectorFile<Case>.load("session") == file)
        #expect(file.cases.map { $0.turns[1].fragments.count } == [1, 4, 22, 1, 1, 1])
        #expect(file.cases.map { $0.turns[2].fragments.count } == [1, 1, 2, 1, 1, 1])
        #expect(file.cases.allSatisfy { $0.turns.map(\.paddedBytes).prefix(3) == [64, 1024, 64] })
    }

    @Test("A listener that has to identify the caller reads the published sessions, byte by byte")
    func read() throws {
        for vector in try VectorFile<Case>.load("session").cases {
            let trial = try NoiseResponderTrial(
                localStatic: AgreementKey(rawRepresentation: bytes(vector.listenerPrivateKey)),
                candidates: [
                    ("other", AgreementKey.generate().publicKey),
                    ("caller", AgreementPublicKey(rawRepresentation: bytes(vector.callerPublicKey))),
                ]
            )
            var decoder = FrameDecoder(maximumLength: FrameCodec.maximumLength)
            for byte in bytes(vector.turns[0].frames.joined()) { try decoder.append([byte]) }
            let match = try trial.match(try #require(try decoder.next()), prologue: { _ in bytes(vector.prologue) })
            var assembler = MessageAssembler(maximumLength: Request.maximumBytes)
            #expect(match.id == "caller")
            let padded = try #require(try assembler.append(match.payload))
            #expect(try MessagePadding.unpad(padded) == bytes(vector.turns[0].message))
        }
    }

    @Test("A session for 1 KB of activity stays within its limit of bytes, padding apart")
    func budget() throws {
        let activity = try Activity(
            type: ActivityType("com.example.app.editing"),
            userInfo: [
                "state": .data([UInt8](repeating: 1, count: 1024))
            ]
        )
        let session = try Self.make(what: "", seed: 15, fragmentBytes: 16_384, answer: .activity(activity))
        let total = session.turns.flatMap(\.frames).reduce(0) { $0 + $1.utf8.count / 2 }
        let padding = session.turns.reduce(0) { $0 + $1.paddedBytes - $1.message.utf8.count / 2 }
        #expect(Double(total - padding) <= 1.15 * 1024 + 300)
        #expect(total == 2297)
    }
}
