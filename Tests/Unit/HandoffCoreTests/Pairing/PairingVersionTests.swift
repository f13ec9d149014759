import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("Pairing with a device of a later version", .endsWithin(minutes: 10))
struct PairingVersionTests {
    /// A caller of a later version, whose introduction has a field that this version does not know; message by message.
    private struct Later {
        let keys = DeviceKeys.generate()
        let nonce = PairingNonce.generate()
        let name: String
        private var handshake = PairingHandshake(isCaller: true)
        private var transport: NoiseTransport?
        private var binding: PairingBinding?
        private var frames = FrameDecoder(maximumLength: 1024)
        private var listenerIntroduction: [UInt8] = []

        /// A field of number 2047 with one byte (Protocol Buffers encoding), after the known fields.
        private static let unknownField: [UInt8] = [0xFA, 0x7F, 0x01, 0x78]

        init(name: String) {
            self.name = name
        }

        var introduction: [UInt8] {
            get throws {
                let proof = try #require(try binding?.prove(keys))
                let known = PairingMessage.introduction(
                    PairingIntroduction(
                        name: try StatedName(name),
                        publicKeys: keys.publicKeys.rawRepresentation,
                        signature: proof.signature,
                        mac: proof.mac
                    )
                ).encode()
                // The body follows the number of the field and its length, which has two bytes above 127.
                let body = Array(known.dropFirst(3)) + Self.unknownField
                return [known[0], UInt8(body.count & 0x7F) | 0x80, UInt8(body.count >> 7)] + body
            }
        }

        mutating func opening(_ opening: PairingOpening) throws -> [UInt8] {
            FrameCodec.encode(try handshake.writeMessage(opening.encode()))
        }

        mutating func meet(_ answer: [UInt8]) throws -> [UInt8] {
            try frames.append(answer)
            _ = try handshake.readMessage(try #require(try frames.next()))
            let secrets = try handshake.split()
            (transport, binding) = (secrets.transport, secrets.binding)
            let frame = try #require(try frames.next())
            listenerIntroduction = try #require(try transport?.decrypt(frame))
            return try seal(try introduction)
        }

        mutating func seal(_ message: [UInt8]) throws -> [UInt8] {
            FrameCodec.encode(try #require(try transport?.encrypt(message)))
        }

        mutating func open(_ bytes: [UInt8]) throws -> PairingMessage {
            try frames.append(bytes)
            let frame = try #require(try frames.next())
            return try PairingMessage(decoding: try #require(try transport?.decrypt(frame)))
        }

        var transcript: PairingTranscript {
            get throws {
                PairingTranscript(
                    handshakeHash: try #require(transport?.handshakeHash),
                    caller: try introduction,
                    listener: listenerIntroduction
                )
            }
        }
    }

    @Test(
        """
        Both devices show the same digits, which cover the field that only the later version knows and every byte of a \
        name that is shown cleaned
        """,
        arguments: [("later", "later"), ("\u{202E}la\nter 👩‍💻", "la ter 👩‍💻")]
    )
    func laterIntroduction(name: String, shown: String) throws {
        let keys = DeviceKeys.generate()
        let own = LocalIdentity(keys, name: try DeviceName("now"), advertisingKey: .generate(day: 20000))
        let tokens = try [1, 2].map { try PairingToken(bytes: Array(repeating: $0, count: 9)) }
        let now = Moment(uptime: .zero, unixMicroseconds: 1_700_000_000_000_000)
        var listener = PairingExchange(dialling: nil, as: tokens[0], own, at: now)
        var later = Later(name: name)

        let opening = try later.opening(PairingOpening(caller: tokens[1], listener: tokens[0]))
        let met = try later.meet(try #require(Self.sent(listener.receive(opening, at: .zero)).first))
        #expect(listener.receive(met, at: .zero).map(Self.introduced) == [shown])
        #expect(try Self.sent(listener.choose(at: .zero)).map { try later.open($0) } == [.choice])
        #expect(listener.receive(try later.seal(PairingMessage.choice.encode()), at: .zero).isEmpty)

        let commitment = PairingMessage.commitment(later.nonce.commitment(to: try later.transcript))
        let shared = Self.sent(listener.receive(try later.seal(commitment.encode()), at: .zero))
        guard case .share(let bytes) = try later.open(try #require(shared.first)) else {
            Issue.record("the listener has not answered the commitment with its number")
            return
        }
        let reveal = PairingMessage.reveal(later.nonce.bytes)
        let compared = listener.receive(try later.seal(reveal.encode()), at: .zero)
        let digits = PairingDigits(
            transcript: try later.transcript,
            caller: later.nonce,
            listener: try PairingNonce(bytes: bytes)
        )
        #expect(compared.contains(.compare(digits)))
    }

    private static func sent(_ actions: [PairingExchange.Action]) -> [[UInt8]] {
        actions.compactMap { if case .send(let bytes) = $0 { bytes } else { nil } }
    }

    private static func introduced(_ action: PairingExchange.Action) -> String {
        if case .introduced(let peer) = action { peer.name.rawValue } else { "\(action)" }
    }
}
