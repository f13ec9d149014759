import HandoffCore
import HandoffModel
import HandoffRadio
import TestLimits
import Testing

@Suite("The table reports significant changes of the signal strength", .endsWithin(minutes: 10))
struct NearbySignalTests {
    var table = NearbyTable()

    private func report(
        _ device: UInt8 = 1,
        _ type: UInt8? = 1,
        hasWebpage: Bool = false,
        rssi: Int8? = -60,
        address: String = "C0:00:00:00:00:01/random"
    ) throws -> NearbyTable.Report {
        NearbyTable.Report(
            device: try .sample(device),
            typeHash: type.map { ActivityTypeHash(number: UInt64($0)) },
            number: .at(type.map(UInt16.init) ?? AdvertisementNumber.maximumIndex),
            hasWebpage: hasWebpage,
            rssi: rssi,
            address: RadioAddress(address),
            port: .sample
        )
    }

    @Test("A new address of the origin is stored and not reported")
    mutating func address() throws {
        _ = table.insert(try report(), at: .at(0))
        #expect(table.insert(try report(address: "C0:00:00:00:00:02/random"), at: .at(1)).isEmpty)
        #expect(table.all.first?.address == RadioAddress("C0:00:00:00:00:02/random"))
    }

    @Test("The wall clock does not affect time-outs")
    mutating func wallClock() throws {
        _ = table.insert(try report(), at: .at(0))
        let jumped = Moment(uptime: .seconds(1), unixMicroseconds: .max)
        #expect(table.expire(at: jumped).isEmpty)
    }

    @Test("A signal strength is reported again when it differs by a step from the last reported one")
    mutating func signalSteps() throws {
        let step = Int8(NearbyTable.rssiStep)
        _ = table.insert(try report(rssi: -60), at: .at(0))
        #expect(table.insert(try report(rssi: -60 + step - 1), at: .at(1)).isEmpty)
        #expect(table.insert(try report(rssi: -60 - step + 1), at: .at(2)).isEmpty)
        #expect(table.insert(try report(rssi: -60 + step), at: .at(3)).count == 1)
        // Compared with the value that was reported last, not with the first one.
        #expect(table.insert(try report(rssi: -60 + 1), at: .at(4)).isEmpty)
        #expect(table.insert(try report(rssi: -60), at: .at(5)).count == 1)
    }

    @Test("A slow drift of the signal strength is reported in the end")
    mutating func drift() throws {
        _ = table.insert(try report(rssi: -30), at: .at(0))
        var reported = 0
        for rssi in stride(from: Int8(-31), through: -90, by: -1) {
            reported += table.insert(try report(rssi: rssi), at: .at(1)).count
        }
        #expect(reported == 60 / NearbyTable.rssiStep)
    }

    @Test("Extreme signal strengths are compared without overflow")
    mutating func extremeSignals() throws {
        _ = table.insert(try report(rssi: .min), at: .at(0))
        #expect(table.insert(try report(rssi: .max), at: .at(1)).count == 1)
    }

    @Test("A signal strength that becomes unknown keeps its last value; one that becomes known is reported")
    mutating func unknownSignal() throws {
        _ = table.insert(try report(1, rssi: -50), at: .at(0))
        #expect(table.insert(try report(1, rssi: nil), at: .at(1)).isEmpty)
        #expect(table.all.first?.rssi == -50)
        _ = table.insert(try report(2, rssi: nil), at: .at(0))
        #expect(table.insert(try report(2, rssi: -70), at: .at(1)).count == 1)
    }

    @Test("Each device has one entry, however often its activity changes")
    mutating func bound() throws {
        for round in 0..<1000 {
            _ = table.insert(try report(UInt8(round % 7), UInt8(round % 251)), at: .at(0))
        }
        #expect(table.all.count == 7)
        #expect(Set(table.all.map(\.id)).count == 7)
    }
}
