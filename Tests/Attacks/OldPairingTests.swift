import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("Somebody who has once taken part in a pairing cannot recognize the device later", .endsWithin(minutes: 10))
struct OldPairingTests {
    private static let day = 24 * 60 * 60

    private static func moment(_ seconds: Int) -> Moment {
        Moment(uptime: .seconds(seconds), unixMicroseconds: 1_700_000_000_000_000 + Int64(seconds) * 1_000_000)
    }

    /// Returns how many of the devices are answered by one that asks its way through these records.
    private static func answers(
        to attackers: [DeviceKeys],
        at device: DeviceKeys,
        among records: [PairingRecord]
    ) throws -> Int {
        let trial = try SessionTrial(device, devices: records.map(\.peer.publicKeys))
        return try attackers.count { attacker in
            var server = ServerSession(trial: trial)
            let request = SettleRequest(pairing: [UInt8](repeating: 1, count: 8), isConfirmed: false)
            var session = ClientSession(keys: attacker, peer: device.publicKeys, request: .settle(request))
            let first = try #require(try session.open(server.greeting))
            return (try? server.receiveRequest(first)) != nil
        }
    }

    @Test("The question how an old pairing ended is not answered, so that it recognizes no device")
    func oldPairing() throws {
        let device = DeviceKeys.generate()
        let attackers = (0..<PairingRecords.maximumCount).map { _ in DeviceKeys.generate() }
        var records = PairingRecords()
        for (index, attacker) in attackers.enumerated() {
            records.keep(
                PairingRecord(
                    id: try #require(PairingID(bytes: [UInt8](repeating: UInt8(index), count: 8))),
                    peer: DeviceIdentity(publicKeys: attacker.publicKeys, name: try DeviceName("attacker")),
                    settlingKey: .generate(),
                    status: .notPaired,
                    began: Self.moment(0).unixMicroseconds
                )
            )
        }
        // Version 1 answered for every record that it had, and dropped none below sixteen.
        let model = try Self.answers(to: attackers, at: device, among: records.all)
        let soon = records.unreconciled(at: Self.moment(Self.day - 1))
        #expect(try Self.answers(to: attackers, at: device, among: soon) == attackers.count)
        let later = records.unreconciled(at: Self.moment(Self.day))
        let here = try Self.answers(to: attackers, at: device, among: later)
        measured(
            .oldPairing,
            onModel: "answered \(model) of \(attackers.count) times, a year later",
            here: "\(here) of \(attackers.count) a day later"
        )
    }
}
