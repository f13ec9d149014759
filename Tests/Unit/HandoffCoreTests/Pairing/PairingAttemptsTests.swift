import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@testable import HandoffCore

@Suite("What follows from the end of an attempt at pairing", .endsWithin(minutes: 10))
struct PairingAttemptsTests {
    @Test("A device that says that another one was chosen is tried again before the numbers, and not after them")
    func notChosen() throws {
        let peer = DeviceIdentity(publicKeys: DeviceKeys.generate().publicKeys, name: try DeviceName("phone"))
        let id = try #require(PairingID(bytes: [UInt8](repeating: 7, count: 8)))
        let table: [(progress: PairingExchangeOutcome.Progress, isTriedAgain: Bool)] = [
            (.introduction, true), (.commitment, true), (.record(id), false),
        ]
        for (progress, isTriedAgain) in table {
            var attempts = PairingAttempts()
            switch attempts.conclude(.notPaired(.remote(.notChosen), after: progress), with: peer) {
            case .retry: #expect(isTriedAgain, "\(progress)")
            case .finish(.notPaired): #expect(!isTriedAgain, "\(progress)")
            case .finish(let outcome): Issue.record("\(progress): \(outcome)")
            }
        }
    }
}
