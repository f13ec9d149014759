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
        /// What both sides send over the radio.
        let pieces: [Sent]
        /// The hash of the handshake, to which connections over the network are bound; nil where the stream does not move.
        let handshakeHash: String?
        /// The connection to which the stream moves; nil where it does not.
        let network: Network?
    }

    /// A connection over the local network; bytes in hexadecimal.
    struct Network: Codable, Equatable, Sendable {
        /// The side that opens it.
        let opener: String
        let openerNonce: String
        let answererNonce: String
        let opening: String
        let answer: String
        let confirmation: String
        /// Its identifier, as both moves have it.
        let connection: String
        let pieces: [Sent]
        /// What is refused in the place of the opening, the answer and the confirmation.
        let refusedOpenings: [String]
        let refusedAnswer: String
        let refusedConfirmation: String
    }

    /// What one side sends: a Noise plaintext, and the frame that carries it.
    struct Sent: Codable, Equatable, Sendable {
        let by: String
        let plaintext: String
        let frame: String
    }

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
        let messages = [
            sent("caller", fragments[0], first), sent("listener", fragments[1], second),
            try seal("caller", fragments[2]), try seal("listener", fragments[3]),
        ]
        let hash = try #require(transports["caller"]).handshakeHash
        let network = try conversation.network.map { network in
            let pieces = network.pieces.map { ($0.by, padded($0.bytes)) }
            return try connection(openedBy: network.opener, conversation.cipher, hash: hash, pieces)
        }
        let move = network.map { [4] + bytes($0.connection) }
        let empty: [UInt8] = [3] + zeros(171)
        var pieces = conversation.offersNothing ? [("caller", empty), ("listener", empty)] : []
        pieces += conversation.pieces + (move.map { [("caller", $0), ("listener", $0)] } ?? [])
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
            messages: messages,
            pieces: try pieces.enumerated().map { index, piece in
                let isRaw = conversation.isLastRaw && index == pieces.count - 1
                return try seal(piece.0, isRaw ? piece.1 : Self.padded(piece.1))
            },
            handshakeHash: network == nil ? nil : hex(hash),
            network: network
        )
    }

    /// Both ends of a connection, and what is sent over it.
    private static func connection(
        openedBy side: String,
        _ cipher: NoiseCipher,
        hash: [UInt8],
        _ pieces: [(String, [UInt8])]
    ) throws -> Network {
        let opener = side == "caller" ? NetworkSecret.Opener.caller : .listener
        let secret = NetworkSecret(
            caller: [UInt8](repeating: 1, count: 32),
            listener: [UInt8](repeating: 2, count: 32),
            handshakeHash: hash,
            cipher: cipher
        )
        let (nonce, answer) = ([UInt8](repeating: 0xA0, count: 16), [UInt8](repeating: 0xB0, count: 16))
        let opening = NetworkOpening(secret, by: opener, nonceForTestVectors: nonce)
        let acceptance = try NetworkAcceptance(
            secret,
            opening: opening.opening,
            by: opener,
            nonceForTestVectors: answer
        )
        let (opened, confirmation) = try opening.finish(acceptance.answer)
        let accepted = try acceptance.finish(confirmation)
        var senders = [side: opened.sending, side == "caller" ? "listener" : "caller": accepted.sending]
        return Network(
            opener: side,
            openerNonce: hex(nonce),
            answererNonce: hex(answer),
            opening: hex(opening.opening),
            answer: hex(acceptance.answer),
            confirmation: hex(confirmation),
            connection: hex(opened.id.bytes),
            pieces: try pieces.map { by, piece in sent(by, piece, try senders[by]?.encrypt(piece) ?? []) },
            refusedOpenings: [
                hex(changed(opening.opening)),
                // The other side's proof.
                hex(
                    NetworkOpening(secret, by: side == "caller" ? .listener : .caller, nonceForTestVectors: nonce)
                        .opening
                ),
            ],
            refusedAnswer: hex(changed(acceptance.answer)),
            refusedConfirmation: hex(changed(confirmation))
        )
    }

    private static func changed(_ bytes: [UInt8]) -> [UInt8] { bytes.dropLast() + [(bytes.last ?? 0) ^ 1] }

    private static func sent(_ by: String, _ plaintext: [UInt8], _ body: [UInt8]) -> Sent {
        Sent(by: by, plaintext: hex(plaintext), frame: hex(FrameCodec.encode(body)))
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Streams (Docs/Protocol.md, "Streams"): after request, answer, acknowledgement and the app's answer, each piece is the \
                plaintext of one Noise transport message in a frame. Those four are not padded here, as they are in a real session \
                (session.json). Where there is a `network`, both sides have moved there \
                with their last pieces over the radio ("Over the local network"), and each end refuses what begins with \
                `refused` in the place of what it would get. Where there is an `error`, the receiver \
                ends the session for that reason ("What ends a session") at the last piece, and at none before. \
                Everything is hexadecimal; private keys are for testing.
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
            var windows = ["caller": StreamWindow(), "listener": StreamWindow()]
            let error = vector.network == nil ? vector.error : nil
            try Self.receive(vector.pieces, &receivers, vector.what, error: error) { by, piece throws(HandoffError) in
                switch piece {
                case .data: try windows[by]?.add()
                case .taken: try windows[by == "caller" ? "listener" : "caller"]?.remove()
                default: break
                }
            }
            guard let network = vector.network else { continue }
            try Self.move(&receivers, to: network, of: vector)
            try Self.receive(network.pieces, &receivers, vector.what, error: vector.error) {
                by,
                piece throws(HandoffError) in
                if case .taken = piece { try windows[by == "caller" ? "listener" : "caller"]?.remove() }
            }
        }
    }

    /// Lets the receivers of both sides read pieces, of which the last one ends the session if there is an error.
    private static func receive(
        _ pieces: [Sent],
        _ receivers: inout [String: StreamReceiver],
        _ what: String,
        error expected: ProtocolViolation?,
        counting count: (_ by: String, StreamPiece) throws(HandoffError) -> Void
    ) throws {
        for (index, piece) in pieces.enumerated() {
            let reader = piece.by == "caller" ? "listener" : "caller"
            let isLast = index == pieces.count - 1
            do throws(HandoffError) {
                try receivers[reader]?.append(bytes(piece.frame))
                let read = try receivers[reader]?.next()
                #expect(read.map { hex($0.encode()) } == piece.plaintext, "\(what)")
                if let read { try count(piece.by, read) }
                #expect(!isLast || expected == nil, "\(what)")
            } catch {
                #expect(isLast && error.violation == expected, "\(what): \(error)")
            }
        }
    }

    /// Makes the connection again from what both sides have offered, and moves both receivers there.
    private static func move(
        _ receivers: inout [String: StreamReceiver],
        to network: Network,
        of vector: Case
    ) throws {
        func offer(of side: String) throws -> NetworkOffer {
            let offers = try vector.pieces.filter { $0.by == side }.prefix(1).map {
                try StreamPiece(decoding: bytes($0.plaintext))
            }
            guard case .offer(let offer) = try #require(offers.first) else { preconditionFailure("the first piece") }
            return try #require(offer)
        }
        let (caller, listener) = (try offer(of: "caller"), try offer(of: "listener"))
        let hash = try #require(vector.handshakeHash)
        let own = NetworkSecret(
            caller: caller.secret,
            listener: listener.secret,
            handshakeHash: bytes(hash),
            cipher: caller.hasAES && listener.hasAES ? .aesGCM : .chaChaPoly
        )
        let opener = network.opener == "caller" ? NetworkSecret.Opener.caller : .listener
        let opening = NetworkOpening(own, by: opener, nonceForTestVectors: bytes(network.openerNonce))
        #expect(hex(opening.opening) == network.opening)
        let acceptance = try NetworkAcceptance(
            own,
            opening: bytes(network.opening),
            by: opener,
            nonceForTestVectors: bytes(network.answererNonce)
        )
        #expect(hex(acceptance.answer) == network.answer)
        let (opened, confirmation) = try opening.finish(bytes(network.answer))
        #expect(hex(confirmation) == network.confirmation)
        let accepted = try acceptance.finish(confirmation)
        for refused in network.refusedOpenings {
            #expect(throws: HandoffError.self) { try NetworkAcceptance(own, opening: bytes(refused), by: opener) }
        }
        #expect(throws: HandoffError.self) { try opening.finish(bytes(network.refusedAnswer)) }
        #expect(throws: HandoffError.self) { try acceptance.finish(bytes(network.refusedConfirmation)) }
        for side in ["caller", "listener"] {
            let connection = side == network.opener ? opened : accepted
            receivers[side] = receivers[side]?.moved(to: connection.receiving)
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
