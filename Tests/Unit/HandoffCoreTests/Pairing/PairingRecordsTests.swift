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
        let records = PairingRecords([try Self.record(.paired)])
        #expect(records.effortChange(at: moment(10), effortUntil: .seconds(120)) == .seconds(120))
        let week = 7 * Self.day
        #expect(records.effortChange(at: moment(120), effortUntil: .seconds(120)) == .seconds(week))
        #expect(records.effortChange(at: moment(week), effortUntil: .seconds(120)) == nil)
    }

    private static let day = 24 * 60 * 60

    @Test("Scanning lasts a week while the user has confirmed a pairing and the peer has not answered")
    func unconfirmed() throws {
        let records = PairingRecords([try Self.record(.unconfirmed)])
        #expect(records.effortChange(at: moment(10), effortUntil: .seconds(120)) == .seconds(120))
        #expect(records.effortChange(at: moment(120), effortUntil: .seconds(120)) == .seconds(7 * Self.day))
        #expect(records.effortChange(at: moment(7 * Self.day), effortUntil: .seconds(120)) == nil)
    }

    @Test("A device whose user has not confirmed asks for two minutes, and answers for a day")
    func notPaired() throws {
        let record = try Self.record(.notPaired)
        let records = PairingRecords([record])
        #expect(records.toAsk(at: moment(119), effortUntil: .seconds(120)) == [record])
        #expect(records.toAsk(at: moment(120), effortUntil: .seconds(120)) == [])
        #expect(records.effortChange(at: moment(120), effortUntil: .seconds(120)) == nil)
        #expect(records.unreconciled(at: moment(Self.day - 1)) == [record])
        #expect(records.unreconciled(at: moment(Self.day)) == [])
    }

    @Test("An unconfirmed pairing is advertised for a week, and listed until its user ends it")
    func advertisedForAWeek() throws {
        let record = try Self.record(.unconfirmed)
        let records = PairingRecords([record])
        let slot = 15 * 60
        // The first slot that begins before the end of the week, and the first one after it.
        let last = 7 * Self.day - slot - (1_700_000_000 % slot) + slot
        let isAdvertised = { (border: Int) in
            (border..<border + 80).contains {
                records.recordToAdvertise(at: moment($0), effortUntil: .seconds(120)).record == record
            }
        }
        #expect(isAdvertised(last - slot))
        #expect(!isAdvertised(last + slot))
        var later = records
        later.forgetExpired(at: moment(8 * Self.day))
        #expect(later.unconfirmed == [record.withoutSettlingKey])
        #expect(records.recordToAdvertise(at: moment(10), effortUntil: .seconds(120)).record == record)
        // A clock that was set back does not bring the key back.
        #expect(later.recordToAdvertise(at: moment(10), effortUntil: .seconds(120)).record == nil)
    }

    @Test("A pairing that began in the future is not forgotten: this device's clock may not be set yet")
    func clockNotSet() throws {
        for status in [PairingRecord.Status.notPaired, .unconfirmed, .paired] {
            let record = try Self.record(status)
            var records = PairingRecords([record])
            records.forgetExpired(at: moment(-1_700_000_000))
            #expect(records.all == [record])
        }
    }

    @Test("An unconfirmed pairing is advertised for 10 s in each slot, at a time that does not show the clock's error")
    func advertisedAfterADelay() throws {
        let record = try Self.record(.unconfirmed)
        let records = PairingRecords([record])
        let slot = 15 * 60
        let border = slot - (1_700_000_000 % slot) + slot
        let starts = try (0..<8).map { number in
            let times = (0..<slot).filter { second in
                let moment = moment(border + number * slot + second)
                return records.recordToAdvertise(at: moment, effortUntil: .seconds(120)).record == record
            }
            #expect(times.count == 10)
            let first = try #require(times.first)
            #expect(times == Array(first..<first + 10))
            return first
        }
        #expect(starts.allSatisfy { $0 <= 60 })
        #expect(Set(starts).count > 4)
    }

    @Test("A reconciled pairing is dropped, and so is one that is too old to be asked about")
    func dropped() throws {
        let record = try Self.record(.paired)
        var records = PairingRecords([record])
        records.forgetExpired(at: moment(7 * Self.day - 1))
        #expect(records.all == [record])
        records.forgetExpired(at: moment(7 * Self.day))
        #expect(records.all == [])
        for status in [PairingRecord.Status.notPaired, .paired] {
            records = PairingRecords([record])
            records.keep(record.withStatus(status, isReconciled: true))
            #expect(records.all == [])
        }
    }

    @Test("After a crash between two files, trust decides whether a pairing is unconfirmed, paired or forgotten")
    func recovered() throws {
        let (unconfirmed, paired) = (try Self.record(.unconfirmed), try Self.record(.paired))
        for isTrusted in [true, false] {
            var records = PairingRecords([unconfirmed])
            records.recover { _ in isTrusted }
            #expect(records.all == [isTrusted ? unconfirmed.withStatus(.paired) : unconfirmed])
            records = PairingRecords([paired])
            records.recover { _ in isTrusted }
            // It was removed, and must not be told that it is paired.
            #expect(records.all == (isTrusted ? [paired] : []))
        }
    }
}
