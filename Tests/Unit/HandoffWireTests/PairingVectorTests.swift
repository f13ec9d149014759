import Bluetooth
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Pairing vectors", .endsWithin(minutes: 10))
struct PairingVectorTests {
    /// One whole pairing with known keys and numbers; bytes in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        var callerToken: String
        var listenerToken: String
        var port: Int
        var callerAdvertisement: String
        var callerName: String
        var listenerName: String
        var callerPublicKey: String
        var listenerPublicKey: String
        var callerEphemeralPrivateKey: String
        var listenerEphemeralPrivateKey: String
        var handshake: [String] = []
        var handshakeHash = ""
        var pairing = ""
        var settlingKey = ""
        var transcript = ""
        var callerNonce: String
        var listenerNonce: String
        var commitment = ""
        var digits = ""
        /// The messages after the handshake in their order, in plaintext and as frames.
        var messages: [Message] = []
    }

    struct Message: Codable, Equatable, Sendable {
        var by: String
        var message: String
        var frame: String
    }

    private static func introduction(_ name: String, _ key: String) throws -> PairingMessage {
        .introduction(PairingIntroduction(name: try StatedName(name), publicKey: bytes(key)))
    }

    private static func make(_ seed: UInt64, _ names: (String, String)) throws -> Case {
        var random = SeededRandom(seed: seed)
        let token = PairingToken.random(using: &random)
        var vector = Case(
            callerToken: hex(token.bytes),
            listenerToken: hex(PairingToken.random(using: &random).bytes),
            port: 0x9A,
            callerAdvertisement: hex(PairingAdvertisement(port: LEPSM(lowSevenBits: 0x1A), token: token).encode()),
            callerName: names.0,
            listenerName: names.1,
            callerPublicKey: hex(try AgreementKey(rawRepresentation: random.bytes(32)).publicKey.rawRepresentation),
            listenerPublicKey: hex(try AgreementKey(rawRepresentation: random.bytes(32)).publicKey.rawRepresentation),
            callerEphemeralPrivateKey: hex(random.bytes(32)),
            listenerEphemeralPrivateKey: hex(random.bytes(32)),
            callerNonce: hex(random.bytes(16)),
            listenerNonce: hex(random.bytes(16))
        )
        try perform(&vector, callerKey: random.bytes(32), listenerKey: random.bytes(32))
        return vector
    }

    /// Performs the pairing, and adds its messages.
    private static func perform(_ vector: inout Case, callerKey: [UInt8], listenerKey: [UInt8]) throws {
        var caller = PairingHandshake(
            isCaller: true,
            ephemeralForTestVectors: try AgreementKey(rawRepresentation: bytes(vector.callerEphemeralPrivateKey))
        )
        var listener = PairingHandshake(
            isCaller: false,
            ephemeralForTestVectors: try AgreementKey(rawRepresentation: bytes(vector.listenerEphemeralPrivateKey))
        )
        let callerIntroduction = try introduction(vector.callerName, vector.callerPublicKey)
        let listenerIntroduction = try introduction(vector.listenerName, vector.listenerPublicKey)
        let opening = PairingOpening(
            caller: try PairingToken(bytes: bytes(vector.callerToken)),
            listener: try PairingToken(bytes: bytes(vector.listenerToken))
        )
        let first = try caller.writeMessage(opening.encode())
        _ = try listener.readMessage(first)
        let second = try listener.writeMessage(listenerIntroduction.encode())
        _ = try caller.readMessage(second)
        vector.handshake = [first, second].map { hex(FrameCodec.encode($0)) }
        let secrets = (caller: try caller.split(), listener: try listener.split())
        vector.handshakeHash = hex(secrets.caller.transport.handshakeHash)
        vector.pairing = String(vector.handshakeHash.prefix(16))
        vector.settlingKey = hex(secrets.caller.settlingKey.rawRepresentation)
        let transcript = PairingTranscript(
            handshakeHash: secrets.caller.transport.handshakeHash,
            caller: callerIntroduction.encode(),
            listener: listenerIntroduction.encode()
        )
        vector.transcript = hex(transcript.hash)
        let nonces = (
            caller: try PairingNonce(bytes: bytes(vector.callerNonce)),
            listener: try PairingNonce(bytes: bytes(vector.listenerNonce))
        )
        let commitment = nonces.caller.commitment(to: transcript)
        vector.commitment = hex(commitment)
        vector.digits =
            PairingDigits(transcript: transcript, caller: nonces.caller, listener: nonces.listener).description
        var transports = ["caller": secrets.caller.transport, "listener": secrets.listener.transport]
        let turns: [(String, PairingMessage)] = [
            ("caller", callerIntroduction), ("caller", .choice), ("listener", .choice),
            ("caller", .commitment(commitment)), ("listener", .share(nonces.listener.bytes)),
            ("caller", .reveal(nonces.caller.bytes)), ("caller", .confirmation(advertisingKey: callerKey)),
            ("listener", .confirmation(advertisingKey: listenerKey)), ("caller", .done), ("listener", .done),
            // A pairing has no more messages; these show the other kinds.
            ("caller", .refusal(.digitsDiffer)), ("listener", .refusal(.failed)), ("caller", .withdrawal),
        ]
        for (side, message) in turns {
            let frame = FrameCodec.encode(try transports[side]?.encrypt(message.encode()) ?? [])
            vector.messages.append(Message(by: side, message: hex(message.encode()), frame: hex(frame)))
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Pairings (Docs/Protocol.md, "Pairing"). Bytes are hexadecimal. `handshake` holds the two messages of the \
                handshake as frames; `messages` holds everything after it.
                """,
            cases: [
                try Self.make(21, ("laptop", "Küche")), try Self.make(22, ("desk", String(repeating: "x", count: 64))),
            ]
        )
        try file.storeIfAsked("pairing")
        #expect(try VectorFile<Case>.load("pairing") == file)
    }

    @Test("Every published message is the same after decoding and encoding")
    func read() throws {
        for vector in try VectorFile<Case>.load("pairing").cases {
            for message in vector.messages {
                #expect(hex(try PairingMessage(decoding: bytes(message.message)).encode()) == message.message)
            }
        }
    }
}

@Suite("Messages of a pairing", .endsWithin(minutes: 10))
struct PairingMessageTests {
    @Test("An advertisement is decoded as it was encoded, and has exactly ten bytes")
    func advertisement() throws {
        var random = SeededRandom(seed: 1)
        for port in LEPSM.allCases {
            let advertisement = PairingAdvertisement(port: port, token: .random(using: &random))
            let encoded = advertisement.encode()
            #expect(encoded.count == 10)
            #expect(try PairingAdvertisement(decoding: encoded) == advertisement)
        }
        for count in [0, 9, 11] {
            #expect(throws: WireError.self) { try PairingAdvertisement(decoding: Array(repeating: 0, count: count)) }
        }
    }

    @Test(
        "A message that violates a rule is refused",
        arguments: [
            ("nothing at all", "", "unknownKind"),
            ("a kind that is not known", "7a00", "unknownKind"),
            (
                "an introduction with a name of 257 bytes", "0a84020a8102" + String(repeating: "61", count: 257),
                "invalidContent"
            ),
            ("a length beyond the end", "0a7f00", "malformed"),
        ]
    )
    func refused(_ what: String, _ text: String, _ code: String) throws {
        let error = #expect(throws: WireError.self) { try PairingMessage(decoding: bytes(text)) }
        #expect(error?.code.description == code)
    }

    @Test("An introduction keeps its name byte by byte, since the digits cover it", arguments: ["", "a\nb", "👩‍💻"])
    func names(_ name: String) throws {
        let introduction = PairingMessage.introduction(
            PairingIntroduction(name: try StatedName(name), publicKey: [UInt8](repeating: 1, count: 32))
        )
        #expect(try PairingMessage(decoding: introduction.encode()).encode() == introduction.encode())
    }

    @Test("A message above the limit is refused before it is read")
    func tooLarge() throws {
        let long = PairingMessage.commitment([UInt8](repeating: 1, count: PairingMessage.maximumBytes)).encode()
        let error = #expect(throws: WireError.self) { try PairingMessage(decoding: long) }
        #expect(error?.code == .tooLarge)
    }

    @Test("An unknown reason is a failure, and every known one is unchanged")
    func reasons() throws {
        for reason in PairingMessage.Reason.allCases {
            #expect(try PairingMessage(decoding: PairingMessage.refusal(reason).encode()) == .refusal(reason))
        }
        #expect(try PairingMessage(decoding: [0x3A, 0x02, 0x08, 0x63]) == .refusal(.failed))
    }

    @Test("The first message of an unauthenticated peer is decoded as it was encoded; tokens have nine bytes")
    func opening() throws {
        var random = SeededRandom(seed: 2)
        let opening = PairingOpening(caller: .random(using: &random), listener: .random(using: &random))
        #expect(try PairingOpening(decoding: opening.encode()) == opening)
        #expect(throws: WireError.self) { try PairingOpening(decoding: []) }
        #expect(throws: WireError.self) { try PairingToken(bytes: [1, 2, 3]) }
    }
}
