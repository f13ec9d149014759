import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import Testing

/// A pairing up to the message that ends it: one side is the reader, the other one is made here, and says what it should
/// not.
struct PairingRefusalScript {
    /// What a side sends, or what the reader's user does.
    enum Step: Sendable {
        /// The first message of the handshake, with both tokens; as a payload of any bytes.
        case opening, payload([UInt8])
        /// The second one.
        case answer
        /// Its introduction; the same with a name of that many bytes, 128 to 16 383.
        case introduction, named(bytes: Int)
        case message(PairingMessage)
        /// The commitment to its number, and that number.
        case commitment, number
        /// A plaintext in a frame; bytes of the channel.
        case plaintext([UInt8]), bytes([UInt8])
        /// The same with another last bit; the last frame once more.
        indirect case changed(Step)
        case repeated
        case reader(Deed)
    }

    /// What the reader's user does.
    enum Deed: String, Codable, Sendable {
        case choose, withdraw, confirm
    }

    /// What one side has sent: bytes of the channel, and what they hold if they are one message in its frame.
    struct Sent: Codable, Equatable, Sendable {
        let by: PairingSide
        /// What the reader's user has done before.
        var does: Deed?
        let bytes: String
        var message: String?
    }

    private let side: PairingSide
    private let keys: PairingVectorKeys
    private let otherKeys: PairingVectorKeys
    private var handshake: PairingHandshake
    private var secrets: PairingHandshake.Secrets?
    private var introductions: [PairingSide: [UInt8]] = [:]
    private var reader: PairingExchange
    private(set) var sent: [Sent] = []

    /// - Parameter reader: the side that reads the last message.
    init(reader: PairingSide) throws {
        let all = PairingVectorKeys.published
        side = reader.other
        keys = try #require(all[side])
        otherKeys = try #require(all[reader])
        handshake = PairingHandshake(isCaller: side == .caller, ephemeralForTestVectors: try keys.ephemeral)
        self.reader = try otherKeys.exchange(reader, with: keys)
        try receive(self.reader.start())
    }

    /// Performs a step that the reader admits.
    mutating func perform(_ step: Step) throws {
        if case .reader(let deed) = step { return try receive(reader.perform(deed), after: deed) }
        let next = try send(step)
        sent.append(next)
        try receive(reader.receive(bytes(next.bytes), at: Moment.at(1).uptime))
        #expect(!reader.isOver, "\(step) is admitted")
    }

    /// Performs the last step; returns what it sends, what the reader sends then, and whether the reader's exchange ends.
    mutating func performLast(_ step: Step) throws -> (sent: Sent, then: [Sent], isOver: Bool) {
        let next = try send(step)
        sent = []
        try receive(reader.receive(bytes(next.bytes), at: Moment.at(1).uptime))
        return (next, sent, reader.isOver)
    }

    /// Returns what a step sends.
    mutating func send(_ step: Step) throws -> Sent {
        switch step {
        case .opening:
            let (caller, listener) = (try keys.pairingToken, try otherKeys.pairingToken)
            return try send(.payload(PairingOpening(caller: caller, listener: listener).encode()))
        case .payload(let payload): return try send(.bytes(FrameCodec.encode(handshake.writeMessage(payload))))
        case .answer:
            let message = try handshake.writeMessage([])
            secrets = try handshake.split()
            return try send(.bytes(FrameCodec.encode(message)))
        case .introduction:
            let introduction = try introduction()
            introductions[side] = introduction
            return try send(.plaintext(introduction))
        case .named(let bytes): return try send(.plaintext(Self.renamed(introduction(), from: keys.name, to: bytes)))
        case .message(let message): return try send(.plaintext(message.encode()))
        case .commitment: return try send(.message(.commitment(try keys.pairingNonce.commitment(to: transcript()))))
        case .number:
            let number = try keys.pairingNonce.bytes
            return try send(.message(side == .caller ? .reveal(number) : .share(number)))
        case .plaintext(let plaintext):
            guard let sealed = try secrets?.transport.encrypt(plaintext) else { return try send(.bytes(plaintext)) }
            return Sent(by: side, bytes: hex(FrameCodec.encode(sealed)), message: hex(plaintext))
        case .bytes(let bytes): return Sent(by: side, bytes: hex(bytes))
        case .changed(let step):
            var frame = bytes(try send(step).bytes)
            frame[frame.count - 1] ^= 1
            return try send(.bytes(frame))
        case .repeated: return try #require(sent.last { $0.by == side })
        case .reader: preconditionFailure("the reader's user does not send what the other side sends")
        }
    }

    private func introduction() throws -> [UInt8] {
        let device = try keys.deviceKeys
        let proof = try #require(try secrets?.binding.prove(device))
        let introduction = PairingIntroduction(
            name: try StatedName(keys.name),
            publicKeys: device.publicKeys.rawRepresentation,
            signature: proof.signature,
            mac: proof.mac
        )
        return PairingMessage.introduction(introduction).encode()
    }

    /// An encoded introduction with a name of that many bytes, which the proof does not cover.
    private static func renamed(_ introduction: [UInt8], from name: String, to count: Int) -> [UInt8] {
        // After a tag and a length of two bytes come the tag, the length and the bytes of the name.
        let rest = introduction.dropFirst(5 + name.utf8.count)
        return ProtobufBytes.field(1, ProtobufBytes.field(1, [UInt8](repeating: 0x61, count: count)) + rest)
    }

    private func transcript() throws -> PairingTranscript {
        PairingTranscript(
            handshakeHash: try #require(secrets?.transport.handshakeHash),
            caller: try #require(introductions[.caller]),
            listener: try #require(introductions[.listener])
        )
    }

    /// Reads what the reader has sent.
    private mutating func receive(_ actions: [PairingExchange.Action], after deed: Deed? = nil) throws {
        var deed = deed
        for frame in try actions.frames {
            var message: [UInt8]?
            if secrets == nil {
                _ = try handshake.readMessage(frame)
                if side == .caller { secrets = try handshake.split() }
            } else {
                message = try secrets?.transport.decrypt(frame)
                if introductions[side.other] == nil { introductions[side.other] = message }
            }
            let bytes = hex(FrameCodec.encode(frame))
            sent.append(Sent(by: side.other, does: deed, bytes: bytes, message: message.map { hex($0) }))
            deed = nil
        }
    }
}

extension PairingExchange {
    /// Does what the user of this side wants.
    mutating func perform(_ deed: PairingRefusalScript.Deed) -> [Action] {
        switch deed {
        case .choose: choose(at: Moment.at(1).uptime)
        case .withdraw: withdrawChoice()
        case .confirm: confirm(at: Moment.at(1).uptime)
        }
    }
}

extension [PairingExchange.Action] {
    /// The frames that are sent, without their lengths.
    var frames: [[UInt8]] {
        get throws {
            var decoder = FrameDecoder(maximumLength: FrameCodec.maximumLength)
            var frames: [[UInt8]] = []
            for case .send(let bytes) in self {
                try decoder.append(bytes)
                while let frame = try decoder.next() { frames.append(frame) }
            }
            return frames
        }
    }
}
