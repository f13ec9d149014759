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
        let typeHash: String
        let activityTag: UInt8
        let plaintext: String
        let sealed: String
    }

    /// The tag includes the document flag.
    private static let inputs: [(slot: UInt64, hasWebpage: Bool, port: UInt8, activityType: String, tag: UInt8)] = [
        (0, false, 0x80, "com.example.app.editing", 0),
        (1_994_702, true, 0x93, "org.example.editor.editing", 7),
        (1_994_703, true, 0x93, "org.example.editor.editing", 7),
        (1_994_703, true, 0x93, "org.example.editor.editing", 8),
        (1_994_702, false, 0xFF, "NSUserActivityTypeBrowsingWeb", 0x80),
        (.max, true, 0xFF, "a.b", 0xFF),
    ]

    private static func make() throws -> [Case] {
        var random = SeededRandom(seed: 10)
        return try inputs.map { input in
            let key = try AdvertisingKey(rawRepresentation: random.bytes(32))
            let hash = ActivityTypeHash(of: input.activityType).bytes
            let plaintext = [(input.hasWebpage ? 0x80 : 0) | (input.port & 0x7F)] + hash + [input.tag]
            return Case(
                advertisingKey: hex(key.rawRepresentation),
                slot: input.slot,
                hasWebpage: input.hasWebpage,
                hasDocument: input.tag & 0x80 != 0,
                port: input.port,
                activityType: input.activityType,
                typeHash: hex(hash),
                activityTag: input.tag & 0x7F,
                plaintext: hex(plaintext),
                sealed: hex(AdvertisementSealer(key: key, slot: input.slot).seal(plaintext))
            )
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Sealed advertisements (Docs/Protocol.md, "Advertisement"). Bytes are hexadecimal; `slot` is Unix time \
                divided by 900; `port` is the PSM.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("advertisement")
        #expect(try VectorFile<Case>.load("advertisement") == file)
    }

    @Test("Every published vector opens to its plaintext")
    func opens() throws {
        for vector in try VectorFile<Case>.load("advertisement").cases {
            let key = try AdvertisingKey(rawRepresentation: bytes(vector.advertisingKey))
            var opener = AdvertisementOpener(keys: [("sender", key)])
            #expect(opener.open(bytes(vector.sealed), slot: vector.slot)?.plaintext == bytes(vector.plaintext))
        }
    }
}
