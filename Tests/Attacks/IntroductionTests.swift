import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("Nobody is paired under, or displaces, another device's keys", .endsWithin(minutes: 10))
struct IntroductionTests {
    /// How an attacker proves that the keys of another device are its own.
    private enum Forgery: CaseIterable {
        case noProof
        /// The proof of the attacker's own keys.
        case ownProof
        /// What the device itself has sent to the attacker in another channel.
        case recordedIntroduction
        /// What the attacked device has just sent.
        case reflectedIntroduction
    }

    /// An attacker that has dialled a device which pairs, and introduces itself with the keys of another one.
    private struct Attacker {
        private let keys = DeviceKeys.generate()
        private var handshake = PairingHandshake(isCaller: true)
        private var frames = FrameDecoder(maximumLength: 1024)

        mutating func open(to token: PairingToken) throws -> [UInt8] {
            let own = try PairingToken(bytes: [UInt8](repeating: 9, count: 9))
            return FrameCodec.encode(
                try handshake.writeMessage(PairingOpening(caller: own, listener: token).encode())
            )
        }

        /// Returns the introduction, once the other side has answered.
        mutating func introduce(
            answering bytes: [UInt8],
            as victim: DeviceIdentity,
            by forgery: Forgery,
            _ recorded: [UInt8]
        ) throws -> [UInt8] {
            try frames.append(bytes)
            _ = try handshake.readMessage(try #require(try frames.next()))
            var secrets = try handshake.split()
            let theirs = try secrets.transport.decrypt(try #require(try frames.next()))
            let proof = try secrets.binding.prove(keys)
            let own = PairingMessage.introduction(
                PairingIntroduction(
                    name: StatedName(victim.name),
                    publicKeys: victim.publicKeys.rawRepresentation,
                    signature: forgery == .noProof ? [] : proof.signature,
                    mac: forgery == .noProof ? [] : proof.mac
                )
            )
            let message =
                switch forgery {
                case .noProof, .ownProof: own.encode()
                case .recordedIntroduction: recorded
                case .reflectedIntroduction: theirs
                }
            return FrameCodec.encode(try secrets.transport.encrypt(message))
        }

        /// Dials a device, and returns its introduction.
        mutating func record(_ device: LocalIdentity) throws -> [UInt8] {
            let token = try PairingToken(bytes: [UInt8](repeating: 1, count: 9))
            var listener = PairingExchange(dialling: nil, as: token, device, at: IntroductionTests.now)
            let answer = IntroductionTests.sent(listener.receive(try open(to: token), at: .zero))
            try frames.append(answer)
            _ = try handshake.readMessage(try #require(try frames.next()))
            var secrets = try handshake.split()
            return try secrets.transport.decrypt(try #require(try frames.next()))
        }
    }

    private static let now = Moment(uptime: .zero, unixMicroseconds: 1_700_000_000_000_000)
    private let phone: LocalIdentity
    private let desk: LocalIdentity
    private let deskToken: PairingToken

    init() throws {
        phone = try Self.identity("phone")
        desk = try Self.identity("desk")
        deskToken = try PairingToken(bytes: [UInt8](repeating: 2, count: 9))
    }

    private static func identity(_ name: String) throws -> LocalIdentity {
        let keys = DeviceKeys.generate()
        return LocalIdentity(keys, name: try DeviceName(name), advertisingKey: .generate(day: 20000))
    }

    private static func sent(_ actions: [PairingExchange.Action]) -> [UInt8] {
        actions.flatMap { action -> [UInt8] in if case .send(let bytes) = action { bytes } else { [] } }
    }

    @Test("A device that introduces itself with the keys of another one is refused")
    func claimed() throws {
        let key = phone.device.publicKeys.rawRepresentation
        let model = (0..<100).count { channel in
            var candidates = UnprovenIntroductions()
            candidates.introduce(key, over: channel)
            return candidates.channel(of: key) == channel
        }
        var recorder = Attacker()
        let recorded = try recorder.record(phone)
        let here = try (0..<25).flatMap { _ in Forgery.allCases }.count { forgery in
            var listener = PairingExchange(dialling: nil, as: deskToken, desk, at: Self.now)
            var attacker = Attacker()
            let answer = Self.sent(listener.receive(try attacker.open(to: deskToken), at: .zero))
            let victim = forgery == .reflectedIntroduction ? desk.device : phone.device
            let claim = try attacker.introduce(answering: answer, as: victim, by: forgery, recorded)
            let actions = listener.receive(claim, at: .zero)
            #expect(listener.isOver)
            return actions.contains { if case .introduced = $0 { true } else { false } }
        }
        measured(
            .claimedKeys,
            onModel: "accepted under the phone's key in \(model) of 100 pairings",
            here: "in \(here) of 100"
        )
    }

    @Test("A device that claims the keys of a candidate does not displace it")
    func displaced() throws {
        let key = phone.device.publicKeys.rawRepresentation
        var candidates = UnprovenIntroductions()
        let model = (1...100).count { channel in
            candidates.introduce(key, over: 0)
            candidates.introduce(key, over: channel)
            return candidates.channel(of: key) != 0
        }
        var recorder = Attacker()
        let recorded = try recorder.record(phone)
        var here = 0
        for _ in 0..<4 {
            var request = try Request(desk, deskToken, with: phone)
            for index in 0..<25 {
                let forgery = Forgery.allCases[index % Forgery.allCases.count]
                if try request.isDisplaced(by: forgery, as: phone.device, recorded) { here += 1 }
            }
            let isChosen = request.choosesFirst()
            #expect(isChosen, "the phone is chosen")
        }
        measured(.displacedCandidate, onModel: "\(model) of 100 displace it", here: "\(here) of 100")
    }

    /// The request of a user at a device, to which another one has introduced itself.
    private struct Request {
        private var machine: PairingMachine
        private var phone: PairingExchange
        private let first = PairingMachine.ChannelID(rawValue: 0)
        private var channelCount: UInt64 = 0

        init(_ own: LocalIdentity, _ token: PairingToken, with phone: LocalIdentity) throws {
            machine = PairingMachine(token: token, own, at: IntroductionTests.now)
            let phoneToken = try PairingToken(bytes: [UInt8](repeating: 1, count: 9))
            self.phone = PairingExchange(dialling: token, as: phoneToken, phone, at: IntroductionTests.now)
            _ = handle(.accepted(first))
            let opening = IntroductionTests.sent(self.phone.start())
            let answer = sent(handle(.received(first, opening)), over: first)
            let introduction = IntroductionTests.sent(self.phone.receive(answer, at: .zero))
            let refused = handle(.received(first, introduction))
            #expect(refused.isEmpty)
        }

        private mutating func handle(_ event: PairingMachine.Event) -> [PairingMachine.Action] {
            machine.handle(event, at: IntroductionTests.now)
        }

        private func sent(_ actions: [PairingMachine.Action], over channel: PairingMachine.ChannelID) -> [UInt8] {
            actions.flatMap { action -> [UInt8] in if case .send(channel, let bytes) = action { bytes } else { [] } }
        }

        /// Lets an attacker dial, and returns whether the channel to the first device is closed then.
        mutating func isDisplaced(by forgery: Forgery, as victim: DeviceIdentity, _ recorded: [UInt8]) throws -> Bool {
            channelCount += 1
            let channel = PairingMachine.ChannelID(rawValue: channelCount)
            var attacker = Attacker()
            _ = handle(.accepted(channel))
            let opening = try attacker.open(to: machine.token)
            let answer = sent(handle(.received(channel, opening)), over: channel)
            let claim = try attacker.introduce(answering: answer, as: victim, by: forgery, recorded)
            let actions = handle(.received(channel, claim))
            #expect(actions.contains(.close(channel, lingers: false)))
            return actions.contains { if case .close(first, _) = $0 { true } else { false } }
        }

        /// Returns whether the first device is chosen, as the only one that has introduced itself.
        mutating func choosesFirst() -> Bool {
            let due = Moment(uptime: PairingMachine.maximumCandidateWindow, unixMicroseconds: 1_700_000_005_000_000)
            return !sent(machine.handle(.tick, at: due), over: first).isEmpty
        }
    }
}
