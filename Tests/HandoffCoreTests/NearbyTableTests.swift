import HandoffCore
import HandoffModel
import HandoffRadio
import Testing

@Suite("The table of what is nearby")
struct NearbyTableTests {
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
            activity: try type.map { try ActivityTypeHash(bytes: [1, 2, 3, 4, $0]) },
            hasWebpage: hasWebpage,
            rssi: rssi,
            address: RadioAddress(address),
            port: .sample
        )
    }

    @Test("a new activity is an entry, which is told once")
    mutating func appearing() throws {
        let changes = table.insert(try report(), at: .at(0))
        guard case .added(let entry) = try #require(changes.first) else {
            Issue.record("not added: \(changes)")
            return
        }
        #expect(changes.count == 1)
        #expect(table[entry.id] == entry)
        #expect(table.insert(try report(), at: .at(1)).isEmpty)
        #expect(table[entry.id]?.lastSeen == .at(1))
        #expect(table[entry.id]?.firstSeen == .at(0))
    }

    @Test("a farewell removes the entry at once; a second one, or a stranger's, does nothing")
    mutating func farewell() throws {
        _ = table.insert(try report(), at: .at(0))
        let entry = try #require(table.all.first)
        #expect(table.insert(try report(2, nil), at: .at(1)).isEmpty)
        #expect(table.insert(try report(1, nil), at: .at(1)) == [.removed(entry)])
        #expect(table.insert(try report(1, nil), at: .at(2)).isEmpty)
        #expect(table.all.isEmpty)
        #expect(table.nextTimeout == nil)
    }

    @Test("a newer activity of a device replaces the one before, under a new number")
    mutating func replacing() throws {
        _ = table.insert(try report(1, 1), at: .at(0))
        let old = try #require(table.all.first)
        let changes = table.insert(try report(1, 2), at: .at(1))
        let new = try #require(table.all.first)
        #expect(changes == [.removed(old), .added(new)])
        #expect(new.id != old.id)
        #expect(table.all.count == 1)
        #expect(table[old.id] == nil)
    }

    @Test("a change of the web page is told")
    mutating func webpage() throws {
        _ = table.insert(try report(), at: .at(0))
        let changes = table.insert(try report(hasWebpage: true), at: .at(1))
        #expect(changes == [.changed(try #require(table.all.first))])
        #expect(table.all.first?.hasWebpage == true)
    }

    @Test("where the origin can be reached now is kept, and is nothing to tell")
    mutating func address() throws {
        _ = table.insert(try report(), at: .at(0))
        #expect(table.insert(try report(address: "C0:00:00:00:00:02/random"), at: .at(1)).isEmpty)
        #expect(table.all.first?.address == RadioAddress("C0:00:00:00:00:02/random"))
    }

    @Test("an entry times out when nothing was heard for its time")
    mutating func timeout() throws {
        _ = table.insert(try report(1), at: .at(0))
        _ = table.insert(try report(2), at: .at(10))
        _ = table.insert(try report(1), at: .at(20))
        #expect(table.nextTimeout == .seconds(10) + NearbyTable.timeout)
        let late = Moment.at(uptime: .seconds(10) + NearbyTable.timeout)
        #expect(table.expire(at: .at(uptime: late.uptime - .milliseconds(1))).isEmpty)
        let changes = table.expire(at: late)
        guard changes.count == 1, case .removed(let entry) = changes[0] else {
            Issue.record("not one removal: \(changes)")
            return
        }
        #expect(try entry.device == .sample(2))
        #expect(table.nextTimeout == .seconds(20) + NearbyTable.timeout)
    }

    @Test("the wall clock has no say in time-outs")
    mutating func wallClock() throws {
        _ = table.insert(try report(), at: .at(0))
        let jumped = Moment(uptime: .seconds(1), unixMicroseconds: .max)
        #expect(table.expire(at: jumped).isEmpty)
    }

    @Test("a signal is told again when it differs by a step from what was told")
    mutating func signalSteps() throws {
        let step = Int8(NearbyTable.rssiStep)
        _ = table.insert(try report(rssi: -60), at: .at(0))
        #expect(table.insert(try report(rssi: -60 + step - 1), at: .at(1)).isEmpty)
        #expect(table.insert(try report(rssi: -60 - step + 1), at: .at(2)).isEmpty)
        #expect(table.insert(try report(rssi: -60 + step), at: .at(3)).count == 1)
        // From the value that was told last, not from the first one.
        #expect(table.insert(try report(rssi: -60 + 1), at: .at(4)).isEmpty)
        #expect(table.insert(try report(rssi: -60), at: .at(5)).count == 1)
    }

    @Test("a slow drift of the signal is told in the end")
    mutating func drift() throws {
        _ = table.insert(try report(rssi: -30), at: .at(0))
        var told = 0
        for rssi in stride(from: Int8(-31), through: -90, by: -1) {
            told += table.insert(try report(rssi: rssi), at: .at(1)).count
        }
        #expect(told == 60 / NearbyTable.rssiStep)
    }

    @Test("the extremes of a signal are compared without overflow")
    mutating func extremeSignals() throws {
        _ = table.insert(try report(rssi: .min), at: .at(0))
        #expect(table.insert(try report(rssi: .max), at: .at(1)).count == 1)
    }

    @Test("a signal that becomes unknown keeps its last value; one that becomes known is told")
    mutating func unknownSignal() throws {
        _ = table.insert(try report(1, rssi: -50), at: .at(0))
        #expect(table.insert(try report(1, rssi: nil), at: .at(1)).isEmpty)
        #expect(table.all.first?.rssi == -50)
        _ = table.insert(try report(2, rssi: nil), at: .at(0))
        #expect(table.insert(try report(2, rssi: -70), at: .at(1)).count == 1)
    }

    @Test("the nearest is first, then the one that came first; unknown signals are last")
    mutating func order() throws {
        for (device, rssi) in [(UInt8(1), Int8?.none), (2, -80), (3, -40), (4, -80), (5, .min)] {
            _ = table.insert(try report(device, rssi: rssi), at: .at(0))
        }
        let devices = try [3, 2, 4].map { try DeviceID.sample($0) }
        #expect(table.all.prefix(3).map(\.device) == devices)
    }

    @Test("an entry that proved stale, or whose device is removed, goes")
    mutating func removing() throws {
        _ = table.insert(try report(1), at: .at(0))
        _ = table.insert(try report(2), at: .at(0))
        let entry = try #require(table.all.first { $0.device == (try? .sample(1)) })
        #expect(table.remove(entry: entry.id) == [.removed(entry)])
        #expect(table.remove(entry: entry.id).isEmpty)
        #expect(table.remove(try .sample(2)).count == 1)
        #expect(table.remove(try .sample(2)).isEmpty)
    }

    @Test("there is one entry for each device, however often it changes its mind")
    mutating func bound() throws {
        for round in 0..<1000 {
            _ = table.insert(try report(UInt8(round % 7), UInt8(round % 251)), at: .at(0))
        }
        #expect(table.all.count == 7)
        #expect(Set(table.all.map(\.id)).count == 7)
    }
}
