import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Circle vectors", .endsWithin(minutes: 10))
struct CircleVectorTests {
    /// Two states, the result of merging them, and its digest; all in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        var what: String
        var one: String
        var other: String
        var joined: String
        var digest: String
    }

    private static let (desk, lap, tab) = (1 as UInt8, 2 as UInt8, 3 as UInt8)

    private static func identity(_ number: UInt8, _ name: String) throws -> DeviceIdentity {
        DeviceIdentity(
            publicKeys: try DevicePublicKeys(rawRepresentation: [UInt8](repeating: number, count: 64)),
            name: try DeviceName(name)
        )
    }

    private static func key(_ byte: UInt8) throws -> AdvertisingKey {
        try AdvertisingKey(rawRepresentation: [UInt8](repeating: byte, count: 32))
    }

    private static func id(_ number: UInt8) throws -> DeviceID { try identity(number, "a").publicKeys.device }

    private static func base() throws -> Circle {
        var circle = Circle()
        try circle.updateSelf(identity(desk, "desk"), key: key(0x81), speaking: 1)
        try circle.insert(identity(lap, "lap"), by: id(desk))
        return circle
    }

    private static func cases() throws -> [Case] {
        var bigger = try base()
        try bigger.insert(identity(tab, "Küche"), by: id(lap))
        var smaller = bigger
        try smaller.remove(id(tab))
        var again = smaller
        try again.insert(identity(tab, "tab"), by: id(desk))
        var (one, other) = (try base(), try base())
        try one.rename(id(lap), to: DeviceName("one"), by: id(desk))
        try other.rename(id(lap), to: DeviceName("other"), by: id(lap))
        try other.renewKey(of: id(lap), to: key(0x42))
        return [
            try vector("a device that one knows", bigger, base()),
            try vector("a removal outlives the member", bigger, smaller),
            try vector("a device that was trusted anew outlives its removal", smaller, again),
            try vector("two names at once, and a later key", one, other),
        ]
    }

    private static func vector(_ what: String, _ one: Circle, _ other: Circle) throws -> Case {
        var joined = one
        try joined.merge(other)
        return Case(
            what: what,
            one: hex(one.message.encode()),
            other: hex(other.message.encode()),
            joined: hex(joined.message.encode()),
            digest: hex(joined.digest)
        )
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Messages of Circle.proto (Docs/Protocol.md, "The circle"): two states, what a device that knows one and \
                hears the other knows then, and its digest. All in hexadecimal.
                """,
            cases: try Self.cases()
        )
        try file.storeIfAsked("circle")
        #expect(try VectorFile<Case>.load("circle") == file)
    }

    @Test("Every published pair of states is merged to the published result, in both orders")
    func joined() throws {
        for vector in try VectorFile<Case>.load("circle").cases {
            let (one, other) = (try circle(vector.one), try circle(vector.other))
            for (first, second) in [(one, other), (other, one)] {
                var joined = first
                try joined.merge(second)
                #expect(hex(joined.message.encode()) == vector.joined, "\(vector.what)")
                #expect(hex(joined.digest) == vector.digest, "\(vector.what)")
            }
        }
    }

    private func circle(_ text: String) throws -> Circle {
        try Circle(CircleMessage(decoding: bytes(text)))
    }
}
