import HandoffCore
import HandoffModel
import HandoffRadio
import Testing
import TestLimits

@Suite("Replayed advertisements of a device change nothing while the device is heard", .endsWithin(minutes: 10))
struct NearbyReplayTests {
    private var table = NearbyTable()

    /// Inserts a report of an advertisement at that many milliseconds; returns the types that are shown afterwards.
    private mutating func hear(
        _ type: String?,
        _ index: UInt16,
        at milliseconds: Int,
        slot: UInt64 = 10,
        from address: String = "origin"
    ) throws -> [ActivityTypeHash] {
        let report = NearbyTable.Report(
            device: try .sample(1),
            typeHash: try type.map { try hash("org.example.\($0)") },
            number: .at(index, slot: slot),
            hasWebpage: false,
            rssi: -60,
            address: RadioAddress(address),
            port: .sample
        )
        let now = Moment.at(Double(milliseconds) / 1000)
        _ = table.expire(at: now)
        _ = table.insert(report, at: now)
        return table.all.map(\.typeHash)
    }

    private var shown: [ActivityTypeHash] { table.all.map(\.typeHash) }

    @Test("A withdrawal that is replayed after its device has continued does not remove the entry")
    mutating func farewell() throws {
        _ = try hear("edit", 1, at: 0)
        #expect(try hear(nil, 2, at: 1000).isEmpty, "a withdrawal counts at once")
        _ = try hear("draw", 3, at: 6000)
        let draw = [try hash("org.example.draw")]
        for step in 0..<200 {
            #expect(try hear(nil, 2, at: 6500 + step * 50, from: "attacker") == draw)
            if step.isMultiple(of: 8) { #expect(try hear("draw", 3, at: 6510 + step * 50) == draw) }
        }
        #expect(table.endpoints(of: try .sample(1)).map(\.address).contains(RadioAddress("origin")))
    }

    @Test("An older activity that is replayed does not replace the present one")
    mutating func olderActivity() throws {
        _ = try hear("edit", 1, at: 0)
        _ = try hear("draw", 2, at: 1000)
        let draw = [try hash("org.example.draw")]
        for step in 0..<200 {
            #expect(try hear("edit", 1, at: 1500 + step * 50, from: "attacker") == draw)
            if step.isMultiple(of: 8) { #expect(try hear("draw", 2, at: 1510 + step * 50) == draw) }
        }
    }

    @Test("An older activity that this device has missed does not replace the present one either")
    mutating func missed() throws {
        _ = try hear("draw", 5, at: 0)
        #expect(try hear("edit", 4, at: 10, from: "attacker") == [try hash("org.example.draw")])
    }

    @Test("Activities that come back, and withdrawals, are shown at once, however often")
    mutating func backAndForth() throws {
        for round in 0..<10 {
            let start = round * 5000
            #expect(try hear("edit", UInt16(3 * round + 1), at: start) == [try hash("org.example.edit")])
            #expect(try hear("draw", UInt16(3 * round + 2), at: start + 2000) == [try hash("org.example.draw")])
            #expect(try hear(nil, UInt16(3 * round + 3), at: start + 4000).isEmpty)
        }
    }

    @Test("The same number with another type is not the device's own")
    mutating func forged() throws {
        _ = try hear("edit", 1, at: 0)
        #expect(try hear("draw", 1, at: 10, from: "attacker") == [try hash("org.example.edit")])
        #expect(try hear(nil, 1, at: 20, from: "attacker") == [try hash("org.example.edit")])
    }

    @Test("A recording of an earlier slot no longer counts once the device was heard in a later one")
    mutating func earlierSlot() throws {
        _ = try hear("edit", 400, at: 0, slot: 10)
        _ = try hear("draw", 1, at: 1000, slot: 11)
        let draw = [try hash("org.example.draw")]
        #expect(try hear("edit", 400, at: 1100, slot: 10, from: "attacker") == draw)
        #expect(try hear(nil, 401, at: 1200, slot: 10, from: "attacker") == draw)
        #expect(table.endpoints(of: try .sample(1)).map(\.address) == [RadioAddress("origin")])
    }

    @Test("After 30 s of silence a lower number counts: the device's clock was set back, or its daemon began anew")
    mutating func lower() throws {
        _ = try hear("draw", 400, at: 0, slot: 11)
        #expect(try hear("edit", 3, at: 29_999, slot: 11) == [try hash("org.example.draw")])
        #expect(try hear("edit", 3, at: 30_000, slot: 11) == [try hash("org.example.edit")])
        #expect(try hear("draw", 400, at: 60_000, slot: 10) == [try hash("org.example.draw")])
    }

    @Test("After the clock here was set back, what comes first counts, and a device may be set back some seconds later")
    mutating func setBack() throws {
        _ = try hear("draw", 400, at: 0, slot: 11)
        table.clockWasSetBack(at: Moment.at(10).uptime)
        #expect(try hear("edit", 3, at: 10_100, slot: 10) == [try hash("org.example.edit")])
        table.clockWasSetBack(at: Moment.at(20).uptime)
        #expect(try hear("draw", 400, at: 20_100, slot: 11) == [try hash("org.example.draw")])
        #expect(try hear("edit", 5, at: 21_000, slot: 10) == [try hash("org.example.edit")])
        #expect(try hear("draw", 4, at: 21_100, slot: 10) == [try hash("org.example.edit")], "in one slot as always")
        #expect(try hear("draw", 9, at: 21_200, slot: 11) == [try hash("org.example.draw")])
        #expect(
            try hear("edit", 5, at: 21_300, slot: 10) == [try hash("org.example.draw")],
            "once; then it is a replay"
        )
        #expect(try hear("draw", 300, at: 60_000, slot: 9) == [try hash("org.example.draw")], "30 s of silence")
        #expect(try hear("edit", 300, at: 61_000, slot: 8) == [try hash("org.example.draw")], "as always afterwards")
    }

    @Test("A greater number that a member has made up counts until 30 s after it was heard last")
    mutating func madeUp() throws {
        _ = try hear("edit", 1, at: 0)
        #expect(try hear("lie", 511, at: 100, from: "liar") == [try hash("org.example.lie")])
        #expect(try hear("edit", 2, at: 200) == [try hash("org.example.lie")])
        let addresses = table.endpoints(of: try .sample(1)).map(\.address)
        #expect(addresses.contains(RadioAddress("origin")), "the device itself can be asked")
        #expect(try hear("edit", 3, at: 30_100) == [try hash("org.example.edit")])
        #expect(try hear("draw", 0, at: 30_200, slot: 11) == [try hash("org.example.draw")])
    }

    @Test("A forged endpoint is one of several, and the device's own is among them")
    mutating func places() throws {
        for step in 0..<40 {
            _ = try hear("edit", 1, at: step * 50, from: "attacker")
            if step.isMultiple(of: 8) { _ = try hear("edit", 1, at: step * 50 + 10) }
        }
        let endpoints = table.endpoints(of: try .sample(1)).map(\.address)
        #expect(Set(endpoints) == [RadioAddress("attacker"), RadioAddress("origin")])
        _ = try hear("edit", 1, at: 10_000)
        #expect(table.endpoints(of: try .sample(1)).count == 1, "endpoints that are no longer heard are removed")
        for number in 0..<100 { _ = try hear("edit", 1, at: 10_001, from: "attacker \(number)") }
        #expect(table.endpoints(of: try .sample(1)).count == RecentEndpoints.maximumCount)
    }

    @Test("An activity that its origin reported as over is not shown again, and the next one is")
    mutating func refuted() throws {
        _ = try hear("edit", 1, at: 0)
        let entry = try #require(table.all.first)
        _ = table.replace(entry: entry.id, by: nil, at: .at(0.5))
        #expect(try hear("edit", 1, at: 600).isEmpty)
        #expect(try hear("draw", 2, at: 700) == [try hash("org.example.draw")])
    }
}
