import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Pairings that are given up unseen cannot be repeated until the digits agree", .endsWithin(minutes: 10))
struct EarlyAbortTests {
    /// A device whose user has asked for pairing, and an attacker that dials it.
    private struct Request {
        private var machine: PairingMachine
        private var uptime = Duration.zero
        private var channels: UInt64 = 0
        /// How the request has ended.
        private(set) var outcome: PairingMachine.Outcome?

        init() throws {
            let own = try Self.identity("phone")
            machine = PairingMachine(token: try Self.token(1), own, at: Self.moment(.zero))
        }

        /// Lets an attacker dial, pair up to the moment at which it knows the digits, and close the channel; returns
        /// whether it has learnt them.
        mutating func abort() throws -> Bool {
            channels += 1
            let channel = PairingMachine.ChannelID(rawValue: channels)
            let attacker = try Self.identity("attacker")
            var exchange = PairingExchange(
                dialling: machine.token,
                as: try Self.token(2),
                attacker,
                at: Self.moment(uptime)
            )
            var toAttacker = handle(.accepted(channel), over: channel)
            var toDevice = Self.sent(exchange.start())
            for _ in 0..<20 where outcome == nil {
                toAttacker += handle(.received(channel, toDevice), over: channel)
                if toAttacker.isEmpty {
                    // Nothing is left to send until the device chooses its only candidate.
                    uptime += PairingMachine.candidateWindow
                    toAttacker += handle(.tick, over: channel)
                }
                let actions = exchange.receive(toAttacker, at: uptime)
                toAttacker = []
                if actions.contains(where: { if case .compare = $0 { true } else { false } }) {
                    _ = handle(.closed(channel), over: channel)
                    return true
                }
                toDevice = Self.sent(actions)
                if actions.contains(where: { if case .introduced = $0 { true } else { false } }) {
                    toDevice += Self.sent(exchange.choose(at: uptime))
                }
            }
            return false
        }

        private mutating func handle(
            _ event: PairingMachine.Event,
            over channel: PairingMachine.ChannelID
        ) -> [UInt8] {
            let actions = machine.handle(event, at: Self.moment(uptime))
            for case .finish(let outcome) in actions { self.outcome = outcome }
            return actions.flatMap { action -> [UInt8] in
                if case .send(channel, let bytes) = action { bytes } else { [] }
            }
        }

        private static func sent(_ actions: [PairingExchange.Action]) -> [UInt8] {
            actions.flatMap { action -> [UInt8] in if case .send(let bytes) = action { bytes } else { [] } }
        }

        private static func identity(_ name: String) throws -> LocalIdentity {
            LocalIdentity(.generate(), name: try DeviceName(name), advertisingKey: .generate(day: 20000))
        }

        private static func token(_ byte: UInt8) throws -> PairingToken {
            try PairingToken(bytes: [UInt8](repeating: byte, count: PairingToken.byteCount))
        }

        private static func moment(_ uptime: Duration) -> Moment {
            Moment(uptime: uptime, unixMicroseconds: 1_700_000_000_000_000)
        }
    }

    @Test("An attacker that gives up each pairing whose digits it does not like has three tries in a request")
    func earlyAbort() throws {
        // Without a limit, a man in the middle goes on until the digits of its two channels agree.
        var random = SeededRandom(seed: 45)
        var onModel = 1
        while random.next() % 1_000_000 != random.next() % 1_000_000 {
            onModel += 1
        }
        var request = try Request()
        var here = 0
        while request.outcome == nil, here < 10, try request.abort() { here += 1 }
        guard case .notPaired(let error)? = request.outcome else {
            Issue.record("the request has not ended after \(here) tries")
            return
        }
        #expect(error.code == .notPaired)
        #expect(error.message.contains("may be an attack"))
        measured(
            .earlyAbort,
            onModel: "digits agree after \(onModel) tries",
            here: "the request ends after \(here) tries"
        )
    }
}
