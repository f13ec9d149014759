import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("Naming another device's token keeps no device out of a pairing", .endsWithin(minutes: 10))
struct ClaimedTokenTests {
    /// A device that has dialled the desk.
    private struct Caller {
        let channel: PairingMachine.ChannelID
        var exchange: PairingExchange

        init(_ identity: LocalIdentity, over channel: UInt64, naming token: PairingToken, to desk: PairingToken) {
            self.channel = PairingMachine.ChannelID(rawValue: channel)
            exchange = PairingExchange(dialling: desk, as: token, identity, at: now)
        }
    }

    private static let now = Moment(uptime: .zero, unixMicroseconds: 1_700_000_000_000_000)

    private static func identity(_ name: String) throws -> LocalIdentity {
        LocalIdentity(.generate(), name: try DeviceName(name), advertisingKey: .generate(day: 20_000))
    }

    private static func token(_ byte: UInt8) throws -> PairingToken {
        try PairingToken(bytes: [UInt8](repeating: byte, count: PairingToken.byteCount))
    }

    /// Lets a caller connect and introduce itself, and returns all that the desk does meanwhile.
    private func introduce(_ caller: inout Caller, to desk: inout PairingMachine) -> [PairingMachine.Action] {
        var all = desk.handle(.accepted(caller.channel), at: Self.now)
        var actions = caller.exchange.start()
        while true {
            let sent = actions.flatMap { action -> [UInt8] in if case .send(let bytes) = action { bytes } else { [] } }
            guard !sent.isEmpty else { return all }
            let answers = desk.handle(.received(caller.channel, sent), at: Self.now)
            all += answers
            let channel = caller.channel
            let received = answers.flatMap { answer -> [UInt8] in
                if case .send(channel, let bytes) = answer { bytes } else { [] }
            }
            actions = received.isEmpty ? [] : caller.exchange.receive(received, at: .zero)
        }
    }

    /// Whether the user at the desk can choose the phone, although another device has connected under its token.
    ///
    /// - Parameters:
    ///   - isFirst: whether the attacker connects before the phone.
    ///   - isIntroduced: whether it also introduces itself, under the phone's name.
    ///   - phoneToken: the phone's token; the desk's is 5, 5, 5, ...
    private func offersPhone(attackerIsFirst isFirst: Bool, _ isIntroduced: Bool, _ phoneToken: UInt8) throws -> Bool {
        let (deskToken, token) = (try Self.token(5), try Self.token(phoneToken))
        var desk = PairingMachine(token: deskToken, try Self.identity("desk"), at: Self.now)
        _ = desk.handle(.heard(token), at: Self.now)
        var phone = Caller(try Self.identity("phone"), over: 1, naming: token, to: deskToken)
        var attacker = Caller(try Self.identity("phone"), over: 2, naming: token, to: deskToken)
        var actions: [PairingMachine.Action] = []
        for isAttacker in [isFirst, !isFirst] {
            if !isAttacker {
                actions += introduce(&phone, to: &desk)
            } else if isIntroduced {
                actions += introduce(&attacker, to: &desk)
            } else {
                // It names the token, and says no more.
                actions += desk.handle(.accepted(attacker.channel), at: Self.now)
                for case .send(let opening) in attacker.exchange.start() {
                    actions += desk.handle(.received(attacker.channel, opening), at: Self.now)
                }
            }
        }
        guard !actions.contains(.close(phone.channel, lingers: false)) else { return false }
        let due = Moment(uptime: PairingMachine.maximumCandidateWindow, unixMicroseconds: 1_700_000_005_000_000)
        return desk.handle(.tick, at: due).contains { action in
            switch action {
            case .offer(_, let all): all.contains { $0.channel == phone.channel }
            case .send(phone.channel, _): true
            default: false
            }
        }
    }

    @Test("Whoever connects first, and whichever side has the larger token, the phone can be chosen")
    func keptOut() throws {
        var (onModel, here, count) = (0, 0, 0)
        for isFirst in [true, false] {
            for isIntroduced in [true, false] {
                for phoneToken in [1, 9] as [UInt8] {
                    count += 1
                    if try !offersPhone(attackerIsFirst: isFirst, isIntroduced, phoneToken) { here += 1 }
                    var channels = ClaimedTokens()
                    let kept = [channels.accept(1, naming: [phoneToken]), channels.accept(2, naming: [phoneToken])]
                    if isFirst, !kept[1] { onModel += 1 }
                }
            }
        }
        measured(.claimedToken, onModel: "\(onModel) of \(count) keep the phone out", here: "\(here) of \(count)")
    }

    @Test("Of two channels between the same two devices one is kept once both have introduced themselves")
    func duplicates() throws {
        let (deskToken, phoneToken) = (try Self.token(5), try Self.token(9))
        let phone = try Self.identity("phone")
        var desk = PairingMachine(token: deskToken, try Self.identity("desk"), at: Self.now)
        var first = Caller(phone, over: 1, naming: phoneToken, to: deskToken)
        var second = Caller(phone, over: 2, naming: phoneToken, to: deskToken)
        let actions = introduce(&first, to: &desk) + introduce(&second, to: &desk)
        let closed = actions.filter { if case .close = $0 { true } else { false } }
        #expect(closed == [.close(second.channel, lingers: false)])
    }
}
