import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("Records of earlier pairings", .endsWithin(minutes: 10))
struct PairingRecordsTests {
    private static func record(_ status: PairingRecord.Status) throws -> PairingRecord {
        let keys = DeviceKeys.generate()
        return PairingRecord(
            id: try #require(PairingID(bytes: [UInt8](repeating: 7, count: 8))),
            peer: DeviceIdentity(publicKeys: keys.publicKeys, name: try DeviceName("desktop")),
            settlingKey: .generate(),
            status: status,
            began: 1_700_000_000_000_000
        )
    }

    private func moment(_ seconds: Int) -> Moment {
        Moment(uptime: .seconds(seconds), unixMicroseconds: 1_700_000_000_000_000 + Int64(seconds) * 1_000_000)
    }

    @Test("Scanning for a recorded pairing has full effort, then less, then none, and each change is known ahead")
    func effort() throws {
        let records = PairingRecords([try Self.record(.notPaired)])
        #expect(records.effortChange(at: moment(10), effortUntil: .seconds(120)) == .seconds(120))
        let day = 24 * 60 * 60
        #expect(records.effortChange(at: moment(120), effortUntil: .seconds(120)) == .seconds(day))
        #expect(records.effortChange(at: moment(day), effortUntil: .seconds(120)) == nil)
    }

    @Test("Scanning does not end while the user has confirmed a pairing and the peer has not answered")
    func unconfirmed() throws {
        let records = PairingRecords([try Self.record(.unconfirmed)])
        #expect(records.effortChange(at: moment(10), effortUntil: .seconds(120)) == .seconds(120))
        #expect(records.effortChange(at: moment(120), effortUntil: .seconds(120)) == nil)
    }
}
