import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Advertisement vectors", .endsWithin(minutes: 10))
struct AdvertisementVectorTests {
    /// One sealed advertisement; `advertisingKey`, `typeHash`, `plaintext` and `sealed` in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let advertisingKey: String
        let slot: UInt64
        let hasWebpage: Bool
        let hasDocument: Bool
        let port: UInt8
        let activityType: String
        /// Absent for an activity without a team.
        let team: String?
        let typeHash: String
        let number: UInt16
        let plaintext: String
        let sealed: String
        /// What does not open under that key in that slot.
        let ignored: [String]
    }

    private struct Input {
        let slot: UInt64
        var hasWebpage = false
        var hasDocument = false
        let port: UInt8
        let type: String
        var team: String?
        let number: UInt16
    }

    private static let inputs = [
        Input(slot: 0, port: 0x80, type: "com.example.app.editing", number: 0),
        Input(slot: 1_994_702, hasWebpage: true, port: 0x93, type: "org.example.editor.editing", number: 7),
        Input(slot: 1_994_703, hasWebpage: true, port: 0x93, type: "org.example.editor.editing", number: 0),
        Input(slot: 1_994_703, hasDocument: true, port: 0x9E, type: "org.example.editor.editing", number: 0x107),
        Input(slot: 1_994_703, port: 0x93, type: "org.example.editor.editing", team: "T1", number: 0x108),
        Input(slot: 1_994_702, hasWebpage: true, port: 0xFF, type: "NSUserActivityTypeBrowsingWeb", number: 0xFF),
        Input(slot: 1_994_702, port: 0x93, type: "NSUserActivityTypeBrowsingWeb", team: "T1", number: 0x100),
        Input(slot: .max, hasWebpage: true, hasDocument: true, port: 0xFF, type: "a.b", number: 0x1FF),
    ]

    private static func make() throws -> [Case] {
        var random = SeededRandom(seed: 10)
        return try inputs.map { input in
            let key = try AdvertisingKey(rawRepresentation: random.bytes(32))
            let hash = ActivityKind(try ActivityType(input.type), team: input.team).hash.bytes
            let flags: UInt8 = (input.hasWebpage ? 0x80 : 0) | (input.hasDocument ? 0x40 : 0)
            let first = flags | UInt8(input.number >> 8) << 5 | (input.port & 0x1F)
            let plaintext = [first] + hash + [UInt8(input.number & 0xFF)]
            let sealed = AdvertisementSealer(key: key, slot: input.slot).seal(plaintext)
            let ignored = [sealed.dropLast(), sealed + [0], [sealed[0] ^ 1] + sealed.dropFirst(), []]
            return Case(
                advertisingKey: hex(key.rawRepresentation),
                slot: input.slot,
                hasWebpage: input.hasWebpage,
                hasDocument: input.hasDocument,
                port: input.port,
                activityType: input.type,
                team: input.team,
                typeHash: hex(hash),
                number: input.number,
                plaintext: hex(plaintext),
                sealed: hex(sealed),
                ignored: ignored.map { hex($0) }
            )
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Sealed advertisements (Docs/Protocol.md, "Advertisement"). Bytes are hexadecimal; `slot` is Unix time \
                divided by 900; `number` is that within the slot; `port` is the PSM. What is `ignored` does not open there.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("advertisement")
        #expect(try VectorFile<Case>.load("advertisement") == file)
    }

    @Test("Every published vector opens to its plaintext, and what is to be ignored does not open")
    func opens() throws {
        for vector in try VectorFile<Case>.load("advertisement").cases {
            let key = try AdvertisingKey(rawRepresentation: bytes(vector.advertisingKey))
            var opener = AdvertisementOpener(keys: [("sender", key)])
            #expect(opener.open(bytes(vector.sealed), slot: vector.slot)?.plaintext == bytes(vector.plaintext))
            for ignored in vector.ignored { #expect(opener.open(bytes(ignored), slot: vector.slot) == nil) }
        }
    }
}
