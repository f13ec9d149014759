import HandoffCrypto
import HandoffModel
import TestLimits
import Testing

@testable import HandoffCore

@Suite("Two devices with one identifier are both not trusted", .endsWithin(minutes: 10))
struct SameIdentifierTests {
    private static func place(
        _ author: FakeDevice,
        _ keys: FakeDevice,
        as id: DeviceID
    ) -> (CircleStatement.Place, SignedStatement) {
        // Keys with one identifier take hours to find; here the place says that these have it.
        let place = CircleStatement.Place(kind: .add, author: author.id, subject: id, keys: keys.keys)
        return (place, author.adds(keys))
    }

    @Test("Whoever has added which keys, every device concludes the same", arguments: [false, true])
    func ambiguous(isSwapped: Bool) throws {
        let (desk, phone, liar) = (try FakeDevice(1), try FakeDevice(2), try FakeDevice(3))
        let (one, other) = (try FakeDevice(isSwapped ? 5 : 4), try FakeDevice(isSwapped ? 4 : 5))
        let id = try FakeDevice(4).id
        let statements = [
            Self.place(desk, phone, as: phone.id), Self.place(desk, liar, as: liar.id),
            Self.place(phone, one, as: id), Self.place(liar, other, as: id),
        ]
        let places = Dictionary(uniqueKeysWithValues: statements)
        #expect(places.count == 4)
        let conclusions = CircleConclusions(places, root: desk.keys, overruled: [])
        #expect(conclusions.trusted == [desk.id, phone.id, liar.id])
        #expect(Set(conclusions.keys(of: id)) == [one.keys, other.keys])
        #expect(conclusions.isContested(id))
        let smaller = try FakeDevice(4).keys
        #expect(conclusions.known[id] == smaller)
        // With one of the two alone it is trusted.
        let honest = Dictionary(uniqueKeysWithValues: statements.dropLast())
        #expect(CircleConclusions(honest, root: desk.keys, overruled: []).trusted.contains(id))
    }

    @Test("What others add for the identifier of the root changes nothing for the root")
    func root() throws {
        let (desk, liar, forged) = (try FakeDevice(1), try FakeDevice(3), try FakeDevice(4))
        let places = Dictionary(
            uniqueKeysWithValues: [Self.place(desk, liar, as: liar.id), Self.place(liar, forged, as: desk.id)]
        )
        let conclusions = CircleConclusions(places, root: desk.keys, overruled: [])
        #expect(conclusions.keys(of: desk.id) == [desk.keys])
        #expect(conclusions.trusted == [desk.id, liar.id])
    }
}
