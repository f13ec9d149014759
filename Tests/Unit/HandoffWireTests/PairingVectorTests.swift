import Bluetooth
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@testable import HandoffCrypto

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
        var callerAgreementPrivateKey: String
        var callerSigningPrivateKey: String
        var callerPublicKeys: String
        var listenerAgreementPrivateKey: String
        var listenerSigningPrivateKey: String
        var listenerPublicKeys: String
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
        /// Introductions of the caller that the listener refuses, in plaintext.
        var refused: [Refused] = []
    }

    struct Refused: Codable, Equatable, Sendable {
        var what: String
        var message: String
    }

    struct Message: Codable, Equatable, Sendable {
        var by: String
        var message: String
        var frame: String
    }

    private static func introduction(
        _ name: String,
        _ keys: DevicePublicKeys,
        _ proof: PairingProof
    ) throws -> PairingMessage {
        .introduction(
            PairingIntroduction(
                name: try StatedName(name),
                publicKeys: keys.rawRepresentation,
                signature: proof.signature,
                mac: proof.mac
            )
        )
    }

    private static func keys(_ random: inout SeededRandom) throws -> DeviceKeys {
        DeviceKeys(
            agreement: try AgreementKey(rawRepresentation: random.bytes(32)),
            signing: try SigningKey(rawRepresentation: random.bytes(32))
        )
    }

    private static func make(_ seed: UInt64, _ names: (String, String)) throws -> Case {
        var random = SeededRandom(seed: seed)
        let token = PairingToken.random(using: &random)
        let (caller, listener) = (try keys(&random), try keys(&random))
        var vector = Case(
            callerToken: hex(token.bytes),
            listenerToken: hex(PairingToken.random(using: &random).bytes),
            port: 0x9A,
            callerAdvertisement: hex(PairingAdvertisement(port: LEPSM(lowFiveBits: 0x1A), token: token).encode()),
            callerName: names.0,
            listenerName: names.1,
            callerAgreementPrivateKey: hex(caller.agreement.rawRepresentation),
            callerSigningPrivateKey: hex(caller.signing.rawRepresentation),
            callerPublicKeys: hex(caller.publicKeys.rawRepresentation),
            listenerAgreementPrivateKey: hex(listener.agreement.rawRepresentation),
            listenerSigningPrivateKey: hex(listener.signing.rawRepresentation),
            listenerPublicKeys: hex(listener.publicKeys.rawRepresentation),
            callerEphemeralPrivateKey: hex(random.bytes(32)),
            listenerEphemeralPrivateKey: hex(random.bytes(32)),
            callerNonce: hex(random.bytes(16)),
            listenerNonce: hex(random.bytes(16))
        )
        let secrets = try handshake(&vector)
        vector.refused = try refused(by: listener, caller, try keys(&random), secrets, as: names)
        try converse(&vector, caller, listener, secrets)
        return vector
    }

    /// Performs the handshake, and adds it.
    private static func handshake(
        _ vector: inout Case
    ) throws -> (caller: PairingHandshake.Secrets, listener: PairingHandshake.Secrets) {
        var caller = PairingHandshake(
            isCaller: true,
            ephemeralForTestVectors: try AgreementKey(rawRepresentation: bytes(vector.callerEphemeralPrivateKey))
        )
        var listener = PairingHandshake(
            isCaller: false,
            ephemeralForTestVectors: try AgreementKey(rawRepresentation: bytes(vector.listenerEphemeralPrivateKey))
        )
        let opening = PairingOpening(
            caller: try PairingToken(bytes: bytes(vector.callerToken)),
            listener: try PairingToken(bytes: bytes(vector.listenerToken))
        )
        let first = try caller.writeMessage(opening.encode())
        _ = try listener.readMessage(first)
        let second = try listener.writeMessage([])
        _ = try caller.readMessage(second)
        vector.handshake = [first, second].map { hex(FrameCodec.encode($0)) }
        let secrets = (caller: try caller.split(), listener: try listener.split())
        vector.handshakeHash = hex(secrets.caller.transport.handshakeHash)
        vector.pairing = String(vector.handshakeHash.prefix(16))
        vector.settlingKey = hex(secrets.caller.settlingKey.rawRepresentation)
        return secrets
    }

    /// Adds everything after the handshake.
    private static func converse(
        _ vector: inout Case,
        _ callerKeys: DeviceKeys,
        _ listenerKeys: DeviceKeys,
        _ secrets: (caller: PairingHandshake.Secrets, listener: PairingHandshake.Secrets)
    ) throws {
        let proofs = (try secrets.caller.binding.prove(callerKeys), try secrets.listener.binding.prove(listenerKeys))
        let callerIntroduction = try introduction(vector.callerName, callerKeys.publicKeys, proofs.0)
        let listenerIntroduction = try introduction(vector.listenerName, listenerKeys.publicKeys, proofs.1)
        let transcript = PairingTranscript(
            handshakeHash: secrets.caller.transport.handshakeHash,
            caller: callerIntroduction.encode(),
            listener: listenerIntroduction.encode()
        )
        let nonces = (
            caller: try PairingNonce(bytes: bytes(vector.callerNonce)),
            listener: try PairingNonce(bytes: bytes(vector.listenerNonce))
        )
        let commitment = nonces.caller.commitment(to: transcript)
        (vector.transcript, vector.commitment) = (hex(transcript.hash), hex(commitment))
        vector.digits =
            PairingDigits(transcript: transcript, caller: nonces.caller, listener: nonces.listener).description
        let confirmations = [0xCA, 0x15].map {
            PairingMessage.confirmation(advertisingKey: [UInt8](repeating: $0, count: 44))
        }
        let turns: [(String, PairingMessage)] = [
            ("listener", listenerIntroduction), ("caller", callerIntroduction),
            // The caller takes its first choice back.
            ("caller", .choice), ("caller", .withdrawal), ("listener", .done), ("caller", .choice),
            ("listener", .choice), ("caller", .commitment(commitment)), ("listener", .share(nonces.listener.bytes)),
            ("caller", .reveal(nonces.caller.bytes)), ("caller", confirmations[0]), ("listener", confirmations[1]),
            ("caller", .done), ("listener", .done),
            // A pairing has no more messages; these show the other kinds.
            ("caller", .refusal(.digitsDiffer)), ("listener", .refusal(.failed)), ("caller", .withdrawal),
        ]
        var transports = ["caller": secrets.caller.transport, "listener": secrets.listener.transport]
        for (side, message) in turns {
            let frame = FrameCodec.encode(try transports[side]?.encrypt(message.encode()) ?? [])
            vector.messages.append(Message(by: side, message: hex(message.encode()), frame: hex(frame)))
        }
    }

    /// Returns introductions that the listener refuses, although each is well-formed.
    private static func refused(
        by listener: DeviceKeys,
        _ caller: DeviceKeys,
        _ other: DeviceKeys,
        _ secrets: (caller: PairingHandshake.Secrets, listener: PairingHandshake.Secrets),
        as names: (String, String)
    ) throws -> [Refused] {
        let proof = try secrets.caller.binding.prove(caller)
        var elsewhere = PairingHandshake(isCaller: true, ephemeralForTestVectors: caller.agreement)
        var there = PairingHandshake(isCaller: false, ephemeralForTestVectors: listener.agreement)
        _ = try there.readMessage(try elsewhere.writeMessage([]))
        _ = try elsewhere.readMessage(try there.writeMessage([]))
        let otherChannel = try elsewhere.split().binding
        func flipped(_ bytes: [UInt8]) -> [UInt8] { [bytes[0] ^ 1] + bytes.dropFirst() }
        let forgeries: [(String, DevicePublicKeys, PairingProof)] = [
            ("no proof", caller.publicKeys, PairingProof(signature: [], mac: [])),
            (
                "a changed signature", caller.publicKeys,
                PairingProof(signature: flipped(proof.signature), mac: proof.mac)
            ),
            ("a changed MAC", caller.publicKeys, PairingProof(signature: proof.signature, mac: flipped(proof.mac))),
            ("the keys of another device", other.publicKeys, proof),
            ("a proof for another channel", caller.publicKeys, try otherChannel.prove(caller)),
            ("the listener's own introduction", listener.publicKeys, try secrets.listener.binding.prove(listener)),
        ]
        return try (forgeries + [try weak(caller, secrets.caller.binding)]).map { what, keys, proof in
            Refused(what: what, message: hex(try introduction(names.0, keys, proof).encode()))
        }
    }

    /// The neutral point as a signing key, under which anybody can sign: with S = 0 and the same point as R.
    private static func weak(
        _ keys: DeviceKeys,
        _ binding: PairingBinding
    ) throws -> (String, DevicePublicKeys, PairingProof) {
        let zeros = [UInt8](repeating: 0, count: 31)
        let weak = try DevicePublicKeys(
            agreement: keys.publicKeys.agreement,
            signing: SigningPublicKey(unchecked: [1] + zeros)
        )
        let mac = try binding.prove(weak, with: keys.agreement, keys.signing).mac
        let proof = PairingProof(signature: [1] + zeros + [0] + zeros, mac: mac)
        return ("a signing key of low order, and a signature that is valid under it", weak, proof)
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Pairings (Docs/Protocol.md, "Pairing"). Bytes are hexadecimal. `handshake` holds the two messages of the \
                handshake as frames; `messages` holds everything after it. The last three messages belong to no \
                conversation, and show other kinds. `refused` holds introductions of the caller whose proofs are wrong, or whose keys are refused.
                """,
            cases: [
                try Self.make(21, ("laptop", "Küche")), try Self.make(22, ("desk", String(repeating: "x", count: 64))),
            ]
        )
        try file.storeIfAsked("pairing")
        #expect(try VectorFile<Case>.load("pairing") == file)
    }

    @Test("The published introductions are accepted with their proofs, and those that are to be refused are refused")
    func proofs() throws {
        for var vector in try VectorFile<Case>.load("pairing").cases {
            let secrets = try Self.handshake(&vector)
            try Self.verify(vector.messages[0].message, by: secrets.caller.binding)
            try Self.verify(vector.messages[1].message, by: secrets.listener.binding)
            let codes = vector.refused.map { refused in
                #expect(throws: CryptoError.self, "\(refused.what)") {
                    try Self.verify(refused.message, by: secrets.listener.binding)
                }?.code
            }
            #expect(codes == [CryptoError.Code](repeating: .authenticationFailed, count: 6) + [.weakKey])
        }
    }

    private static func verify(_ message: String, by binding: PairingBinding) throws {
        guard case .introduction(let introduction) = try PairingMessage(decoding: bytes(message)) else {
            Issue.record("\(message) is no introduction")
            return
        }
        let proof = PairingProof(signature: introduction.signature, mac: introduction.mac)
        try binding.verify(proof, of: DevicePublicKeys(rawRepresentation: introduction.publicKeys))
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
            ("a commitment of one byte", "1a0101", "invalidContent"),
            ("a commitment of 31 bytes", "1a1f" + String(repeating: "01", count: 31), "invalidContent"),
            ("a commitment of 33 bytes", "1a21" + String(repeating: "01", count: 33), "invalidContent"),
        ]
    )
    func refused(_ what: String, _ text: String, _ code: String) throws {
        let error = #expect(throws: WireError.self) { try PairingMessage(decoding: bytes(text)) }
        #expect(error?.code.description == code)
    }

    @Test("An introduction keeps its name byte by byte, since the digits cover it", arguments: ["", "a\nb", "👩‍💻"])
    func names(_ name: String) throws {
        let introduction = PairingMessage.introduction(
            PairingIntroduction(
                name: try StatedName(name),
                publicKeys: [UInt8](repeating: 1, count: 64),
                signature: [UInt8](repeating: 2, count: 64),
                mac: [UInt8](repeating: 3, count: 32)
            )
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
