import Bluetooth
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import TestLimits
import Testing

@Suite("The table of nearby activities", .endsWithin(minutes: 10))
struct NearbyTableTests {
    private static let notes = "org.example.notes.editing"
    private var table = NearbyTable()

    private static func device(_ number: UInt8) throws -> DeviceID {
        try DeviceID(bytes: [0, 0, 0, 0, 0, 0, 0, number])
    }

    private static func report(
        _ device: UInt8,
        _ type: String? = notes,
        number: AdvertisementNumber = .at(1),
        hasWebpage: Bool = false,
        hasDocument: Bool = false,
        rssi: Int8? = -60,
        address: String = "A"
    ) throws -> NearbyTable.Report {
        NearbyTable.Report(
            device: try Self.device(device),
            typeHash: try type.map { try hash($0) },
            number: number,
            hasWebpage: hasWebpage,
            hasDocument: hasDocument,
            rssi: rssi,
            address: RadioAddress(address),
            port: LEPSM(lowFiveBits: 0)
        )
    }

    @Test("A first report adds an entry, and the same report again only keeps it alive")
    mutating func addition() throws {
        let changes = table.insert(try Self.report(1), at: .at(0))
        let entry = try #require(table.all.first)
        #expect(changes == [.added(entry)])
        #expect(table.insert(try Self.report(1, address: "B"), at: .at(5)).isEmpty)
        #expect(table.all.first?.lastSeen == .at(5))
        #expect(table.all.first?.firstSeen == .at(0))
        #expect(table[entry.id]?.address == RadioAddress("B"))
    }

    @Test("All entries are removed at once, come back under other ids, and are remembered as entries that there were")
    mutating func removalOfAll() throws {
        for device in 1...3 { _ = table.insert(try Self.report(UInt8(device)), at: .at(0)) }
        let entries = table.all.sorted { $0.id < $1.id }
        #expect(table.removeAll() == entries.map(NearbyTable.Change.removed))
        #expect(table.all.isEmpty)
        #expect(table.removeAll().isEmpty)
        #expect(entries.allSatisfy { table.hasHad(entry: $0.id) })
        #expect(!table.hasHad(entry: 4))
        #expect(!table.hasHad(entry: 0))
        _ = table.insert(try Self.report(1), at: .at(1))
        #expect(table.all.map(\.id) == [4])
    }

    @Test("Another activity of the device replaces the last one, as another entry")
    mutating func replacement() throws {
        _ = table.insert(try Self.report(1), at: .at(0))
        let old = try #require(table.all.first)
        let changes = table.insert(try Self.report(1, "org.example.mail.composing", number: .at(2)), at: .at(1))
        let new = try #require(table.all.first)
        #expect(changes == [.removed(old), .added(new)])
        #expect(new.id != old.id)
        #expect(table.all.count == 1)
        #expect(table[old.id] == nil)
    }

    @Test("Another activity of the same type has another number, and replaces the entry too")
    mutating func anotherNumber() throws {
        _ = table.insert(try Self.report(1, number: .at(7)), at: .at(0))
        let old = try #require(table.all.first)
        #expect(table.insert(try Self.report(1, number: .at(7), hasWebpage: true), at: .at(1)).count == 1)
        #expect(table.all.first?.id == old.id, "the same activity stays the same entry")
        #expect(table.insert(try Self.report(1, number: .at(7), hasDocument: true), at: .at(1)).count == 1)
        #expect(table.all.first?.hasDocument == true)
        let changes = table.insert(try Self.report(1, number: .at(8)), at: .at(2))
        let new = try #require(table.all.first)
        #expect(changes.map { if case .removed(let entry) = $0 { entry.id } else { nil } } == [old.id, nil])
        #expect(changes.last == .added(new))
        #expect(new.typeHash == old.typeHash)
        #expect(new.id != old.id)
        #expect(table[old.id] == nil)
    }

    @Test(
        "What goes on in the next slot is the same entry, which is requested with its first number; all else is another"
    )
    mutating func nextSlot() throws {
        _ = table.insert(try Self.report(1, number: .at(7)), at: .at(0))
        let old = try #require(table.all.first)
        #expect(table.insert(try Self.report(1, number: .at(0, slot: 11)), at: .at(1)).isEmpty)
        #expect(table.insert(try Self.report(1, number: .at(0, slot: 12)), at: .at(2)).isEmpty)
        #expect(table.all.map(\.id) == [old.id])
        #expect(table.all.first?.activity.number == .at(7))
        #expect(table.insert(try Self.report(1, number: .at(0, slot: 14)), at: .at(3)).count == 2, "a slot was missed")
        #expect(table.insert(try Self.report(1, number: .at(1, slot: 15)), at: .at(4)).count == 2, "it does not go on")
        let other = try Self.report(1, "org.example.mail.composing", number: .at(0, slot: 16))
        #expect(table.insert(other, at: .at(5)).count == 2, "a change was missed")
    }

    @Test("A withdrawal removes the entry at once, and a second one changes nothing")
    mutating func farewell() throws {
        _ = table.insert(try Self.report(1), at: .at(0))
        let entry = try #require(table.all.first)
        #expect(table.insert(try Self.report(1, nil, number: .at(2)), at: .at(1)) == [.removed(entry)])
        #expect(table.insert(try Self.report(1, nil, number: .at(2)), at: .at(2)).isEmpty)
    }

    @Test("What an origin answers replaces the entry, whatever number was heard before")
    mutating func answered() throws {
        _ = table.insert(try Self.report(1, number: .at(400)), at: .at(0))
        let entry = try #require(table.all.first)
        let current = CurrentActivity(
            AdvertisedActivity(typeHash: try hash("org.example.draw"), number: .at(9)),
            hasWebpage: true,
            hasDocument: false
        )
        #expect(table.replace(entry: entry.id, by: current, at: .at(1)).count == 2)
        let new = try #require(table.all.first)
        #expect(new.activity == current.activity)
        #expect(new.hasWebpage)
        #expect(new.address == entry.address)
        let heard = try Self.report(1, "org.example.draw", number: .at(9), hasWebpage: true)
        #expect(table.insert(heard, at: .at(2)).isEmpty)
        #expect(table.all.map(\.id) == [new.id])
        #expect(table.replace(entry: entry.id, by: nil, at: .at(3)).isEmpty, "that entry is gone")
    }

    @Test("An entry that is not heard for 30 s is removed, and not before")
    mutating func timeout() throws {
        _ = table.insert(try Self.report(1), at: .at(0))
        _ = table.insert(try Self.report(2), at: .at(10))
        #expect(table.nextTimeout == Moment.at(30).uptime)
        #expect(table.expire(at: .at(29.9)).isEmpty)
        #expect(table.expire(at: .at(30)).count == 1)
        #expect(table.all.map(\.device) == [try Self.device(2)])
        #expect(table.expire(at: .at(40)).count == 1)
        #expect(table.nextTimeout == nil)
    }

    @Test("The nearest entry comes first, and one of unknown signal strength last")
    mutating func order() throws {
        _ = table.insert(try Self.report(1, rssi: -80), at: .at(0))
        _ = table.insert(try Self.report(2, rssi: nil), at: .at(0))
        _ = table.insert(try Self.report(3, rssi: -40), at: .at(0))
        #expect(table.all.map(\.device) == [try Self.device(3), try Self.device(1), try Self.device(2)])
    }

    @Test("A significant change of the signal strength is reported, and a web page always")
    mutating func visibleChanges() throws {
        _ = table.insert(try Self.report(1, rssi: -60), at: .at(0))
        #expect(table.insert(try Self.report(1, rssi: -57), at: .at(1)).isEmpty)
        #expect(table.insert(try Self.report(1, rssi: -55), at: .at(2)).isEmpty)
        #expect(table.insert(try Self.report(1, rssi: -54), at: .at(3)).count == 1)
        #expect(table.insert(try Self.report(1, rssi: nil), at: .at(4)).isEmpty)
        #expect(table.insert(try Self.report(1, hasWebpage: true, rssi: -54), at: .at(5)).count == 1)
    }

    @Test("Entries of a device that is no longer trusted, and of a stale activity, are removed")
    mutating func removal() throws {
        _ = table.insert(try Self.report(1), at: .at(0))
        _ = table.insert(try Self.report(2), at: .at(0))
        #expect(table.remove(try Self.device(1)).count == 1)
        let entry = try #require(table.all.first)
        #expect(table.replace(entry: entry.id, by: nil, at: .at(1)) == [.removed(entry)])
        #expect(table.replace(entry: entry.id, by: nil, at: .at(1)).isEmpty)
        #expect(table.all.isEmpty)
    }
}
