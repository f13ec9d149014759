import HandoffCore
import HandoffModel
import HandoffRadio
import TestLimits
import Testing

@Suite("Replayed advertisements of a device change nothing while the device is heard", .endsWithin(minutes: 10))
struct NearbyReplayTests {
    private var table = NearbyTable()

    /// Inserts a report of an advertisement at that many milliseconds; returns the types that are shown afterwards.
    private mutating func hear(
        _ type: String?,
        tag: UInt8 = 0,
        at milliseconds: Int,
        slot: UInt64 = 10,
        from address: String = "origin"
    ) throws -> [ActivityTypeHash] {
        let report = NearbyTable.Report(
            device: try .sample(1),
            activity: try type.map { try advertised("org.example.\($0)", tag: tag) },
            hasWebpage: false,
            rssi: -60,
            address: RadioAddress(address),
            port: .sample,
            slot: slot
        )
        let now = Moment.at(Double(milliseconds) / 1000)
        _ = table.expire(at: now)
        _ = table.insert(report, at: now)
        return table.all.map(\.typeHash)
    }

    private var shown: [ActivityTypeHash] { table.all.map(\.typeHash) }

    @Test("A withdrawal that is replayed after its device has continued does not remove the entry")
    mutating func farewell() throws {
        _ = try hear("edit", at: 0)
        #expect(try hear(nil, at: 1000).isEmpty, "the first withdrawal counts at once")
        _ = try hear("draw", at: 6000)
        let draw = [try hash("org.example.draw")]
        for step in 0..<200 {
            #expect(try hear(nil, at: 6500 + step * 50, from: "attacker") == draw)
            if step.isMultiple(of: 8) { #expect(try hear("draw", at: 6510 + step * 50) == draw) }
        }
    }

    @Test("An older activity that is replayed does not replace the present one")
    mutating func olderActivity() throws {
        _ = try hear("edit", at: 0)
        _ = try hear("draw", at: 1000)
        let draw = [try hash("org.example.draw")]
        #expect(shown == draw, "content that was not heard before counts at once")
        for step in 0..<200 {
            #expect(try hear("edit", at: 1500 + step * 50, from: "attacker") == draw)
            if step.isMultiple(of: 8) { #expect(try hear("draw", at: 1510 + step * 50) == draw) }
        }
    }

    @Test("An activity that really comes back is shown after a second and a half")
    mutating func comesBack() throws {
        _ = try hear("edit", at: 0)
        _ = try hear("draw", at: 1000)
        for step in 0..<10 { #expect(try hear("edit", at: 2000 + step * 150) == [try hash("org.example.draw")]) }
        #expect(try hear("edit", at: 3500) == [try hash("org.example.edit")])
    }

    @Test("A second withdrawal counts as well, even if the scanner receives it once and pauses")
    mutating func secondFarewell() throws {
        _ = try hear("edit", at: 0)
        _ = try hear(nil, at: 1000)
        for step in 0...10 { _ = try hear("edit", at: 7000 + step * 150) }
        #expect(shown == [try hash("org.example.edit")])
        #expect(try hear(nil, at: 9000) == [try hash("org.example.edit")], "it may be a replay")
        #expect(table.nextTimeout == Moment.at(16.5).uptime)
        #expect(table.expire(at: .at(16.5)).count == 1, "nothing has contradicted it")
    }

    @Test("With a scanner that pauses, an activity that comes back is accepted after two scan windows")
    mutating func restingScanner() throws {
        _ = try hear("edit", at: 0)
        _ = try hear("draw", at: 1000)
        for window in 1...2 { #expect(try hear("edit", at: window * 4000) == [try hash("org.example.draw")]) }
        #expect(try hear("edit", at: 12_000) == [try hash("org.example.edit")])
    }

    @Test("A recording of an earlier slot no longer counts once the device was heard in a later one")
    mutating func earlierSlot() throws {
        _ = try hear("edit", at: 0, slot: 10)
        _ = try hear("draw", at: 1000, slot: 11)
        let draw = [try hash("org.example.draw")]
        #expect(try hear("edit", at: 1100, slot: 10, from: "attacker") == draw)
        #expect(try hear(nil, at: 1200, slot: 10, from: "attacker") == draw)
        #expect(table.endpoints(of: try .sample(1)).map(\.address) == [RadioAddress("origin")])
        #expect(
            try hear("edit", at: 40_000, slot: 10) == [try hash("org.example.edit")],
            "the device's clock was set back"
        )
    }

    @Test("A forged endpoint is one of several, and the device's own is among them")
    mutating func places() throws {
        for step in 0..<40 {
            _ = try hear("edit", at: step * 50, from: "attacker")
            if step.isMultiple(of: 8) { _ = try hear("edit", at: step * 50 + 10) }
        }
        let endpoints = table.endpoints(of: try .sample(1)).map(\.address)
        #expect(Set(endpoints) == [RadioAddress("attacker"), RadioAddress("origin")])
        _ = try hear("edit", at: 10_000)
        #expect(table.endpoints(of: try .sample(1)).count == 1, "endpoints that are no longer heard are removed")
        for number in 0..<100 { _ = try hear("edit", at: 10_001, from: "attacker \(number)") }
        #expect(table.endpoints(of: try .sample(1)).count == RecentEndpoints.maximumCount)
    }

    @Test("Thousands of forged activities of a slot are not remembered, and the device's own is accepted in the end")
    mutating func forgeries() throws {
        for number in 0..<5000 {
            _ = try hear("forged\(number / 256)", tag: UInt8(number % 256), at: number, from: "forger")
        }
        #expect(table.all.count == 1)
        #expect(table.rememberedContents(of: try .sample(1)) == 512)
        for step in 0...10 { _ = try hear("edit", at: 10_000 + step * 150) }
        #expect(shown == [try hash("org.example.edit")])
    }

    @Test("An activity that its origin reported as over is accepted again only after it was heard for a while")
    mutating func refuted() throws {
        _ = try hear("edit", at: 0)
        let entry = try #require(table.all.first)
        _ = table.remove(entry: entry.id, at: .at(0.5))
        #expect(try hear("edit", at: 600).isEmpty)
        #expect(try hear("draw", at: 700) == [try hash("org.example.draw")])
    }
}
