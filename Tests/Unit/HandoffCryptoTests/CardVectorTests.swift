import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Card vectors", .endsWithin(minutes: 10))
struct CardVectorTests {
    /// One line and its meaning: keys and name, or the code of the error that it causes.
    struct Case: Codable, Equatable, Sendable {
        var text: String
        var error: String?
        var publicKey: String?
        var deviceID: String?
        var advertisingKey: String?
        var name: String?

        /// Reads `text` as this code does.
        init(reading text: String) throws {
            self.text = text
            do throws(CryptoError) {
                let card = try CardText(parsing: text)
                publicKey = hex(card.publicKey.rawRepresentation)
                deviceID = card.publicKey.device.description
                advertisingKey = hex(card.advertisingKey.rawRepresentation)
                name = card.name
            } catch {
                self.error = error.code.description
            }
        }
    }

    private static func make() throws -> [Case] {
        var random = SeededRandom(seed: 11)
        let texts = try ["laptop", "Küche", String(repeating: "x", count: 64)].map { name in
            let keys = DeviceKeys(
                agreement: try AgreementKey(rawRepresentation: random.bytes(32)),
                advertisingKey: try AdvertisingKey(rawRepresentation: random.bytes(32))
            )
            return try CardText(publicKey: keys.publicKey, advertisingKey: keys.advertisingKey, name: name).text
        }
        let changed = texts[0].dropLast() + (texts[0].last == "a" ? "b" : "a")
        let others = [" \(texts[0].uppercased())\n", String(changed), "handoff2:aaaa", "https://example.org"]
        return try (texts + others).map(Case.init(reading:))
    }

    @Test("The published vectors are what this code generates and reads")
    func published() throws {
        let file = VectorFile(
            about: """
                Cards (Docs/Protocol.md, "Card"). Bytes are hexadecimal. A line with `error` is refused for that reason: \
                a mistake in it, a newer version, or no card at all.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("card")
        #expect(try VectorFile<Case>.load("card") == file)
        #expect(file.cases.map(\.error) == [nil, nil, nil, nil, "damagedCard", "newerCard", "notACard"])
    }
}
