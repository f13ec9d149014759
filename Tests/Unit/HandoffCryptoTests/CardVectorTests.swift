import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCrypto

@Suite("Card vectors", .endsWithin(minutes: 10))
struct CardVectorTests {
    /// One line and its meaning: keys and name, or the code of the error that it causes.
    struct Case: Codable, Equatable, Sendable {
        var text: String
        var error: String?
        var publicKeys: String?
        var deviceID: String?
        var name: String?

        /// Reads `text` as this code does.
        init(reading text: String) throws {
            self.text = text
            do throws(CryptoError) {
                let card = try CardText(parsing: text)
                publicKeys = hex(card.publicKeys.rawRepresentation)
                deviceID = card.publicKeys.device.description
                name = card.name
            } catch {
                self.error = error.code.description
            }
        }
    }

    /// Returns the card with 32 bytes of its content replaced by zeros, which are a key of low order.
    private static func weak(_ text: String, at offset: Int) -> String {
        var content = Base32.decode(text.dropFirst(9).utf8)?.dropLast(4) ?? []
        content.replaceSubrange(offset..<(offset + 32), with: [UInt8](repeating: 0, count: 32))
        return "handoff2:" + Base32.encode(content + HandoffDigest.sha256(Array(content)).prefix(4))
    }

    private static func make() throws -> [Case] {
        var random = SeededRandom(seed: 11)
        let texts = try ["laptop", "Küche", String(repeating: "x", count: 64)].map { name in
            let keys = DeviceKeys(
                agreement: try AgreementKey(rawRepresentation: random.bytes(32)),
                signing: try SigningKey(rawRepresentation: random.bytes(32))
            )
            return try CardText(publicKeys: keys.publicKeys, name: name).text
        }
        let changed = texts[0].dropLast() + (texts[0].last == "a" ? "b" : "a")
        let others = [
            " \(texts[0].uppercased())\n", String(changed), "handoff3:aaaa", "https://example.org", "handoff1:aaaa",
            Self.weak(texts[0], at: 1), Self.weak(texts[0], at: 33),
        ]
        return try (texts + others).map(Case.init(reading:))
    }

    @Test("The published vectors are what this code generates and reads")
    func published() throws {
        let file = VectorFile(
            about: """
                Cards (Docs/Protocol.md, "Card"). Bytes are hexadecimal. A line with `error` is refused for that reason: \
                a mistake in it, another version, no card at all, or keys that protect or prove nothing.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("card")
        #expect(try VectorFile<Case>.load("card") == file)
        #expect(
            file.cases.map(\.error) == [nil, nil, nil, nil, "damagedCard", "newerCard", "notACard"] + [
                "olderCard", "weakKey", "weakKey",
            ]
        )
    }
}
