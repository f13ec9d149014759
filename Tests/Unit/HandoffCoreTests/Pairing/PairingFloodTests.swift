import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A device that pairs cannot make another one send without end", .endsWithin(minutes: 10))
struct PairingFloodTests {
    @Test("One that chooses and takes its choice back again and again is refused")
    func endlessWithdrawals() throws {
        let now = Moment(uptime: .seconds(10), unixMicroseconds: 1_700_000_000_000_000)
        func identity(_ name: String) throws -> LocalIdentity {
            LocalIdentity(.generate(), name: try DeviceName(name), advertisingKey: .generate(day: 20_000))
        }
        func bytes(_ actions: [PairingExchange.Action]) -> [UInt8] {
            actions.flatMap { action -> [UInt8] in if case .send(let bytes) = action { bytes } else { [] } }
        }
        let tokens = try [1, 2].map { try PairingToken(bytes: [UInt8](repeating: $0, count: PairingToken.byteCount)) }
        var honest = PairingExchange(dialling: nil, as: tokens[0], try identity("desk"), at: now)
        var attacker = PairingExchange(dialling: tokens[0], as: tokens[1], try identity("attacker"), at: now)
        var sent = bytes(attacker.start())
        while !sent.isEmpty {
            sent = bytes(attacker.receive(bytes(honest.receive(sent, at: now.uptime)), at: now.uptime))
        }
        #expect(honest.peer?.name.rawValue == "attacker")
        var messages = 0
        while !honest.isOver, messages < 10_000 {
            for event in [true, false] {
                let actions = event ? attacker.choose(at: now.uptime) : attacker.withdrawChoice()
                messages += 1
                _ = attacker.receive(bytes(honest.receive(bytes(actions), at: now.uptime)), at: now.uptime)
            }
        }
        #expect(honest.isOver)
        #expect(messages < 300)
    }
}
