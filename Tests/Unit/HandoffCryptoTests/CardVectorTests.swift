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

    /// The line with this content, whatever it is.
    private static func line(_ content: [UInt8]) -> String {
        "handoff2:" + Base32.encode(content + HandoffDigest.sha256(content).prefix(4))
    }

    /// The content of a card.
    private static func content(of text: String) -> [UInt8] {
        Base32.decode(text.dropFirst(9).utf8)?.dropLast(4) ?? []
    }

    /// The card with other bytes in its content.
    private static func line(_ text: String, replacing offset: Int, with bytes: [UInt8]) -> String {
        var content = content(of: text)
        content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        return line(content)
    }

    private static func valid() throws -> [String] {
        var random = SeededRandom(seed: 11)
        return try ["laptop", "Küche", String(repeating: "x", count: 64)].map { name in
            let keys = DeviceKeys(
                agreement: try AgreementKey(rawRepresentation: random.bytes(32)),
                signing: try SigningKey(rawRepresentation: random.bytes(32))
            )
            return try CardText(publicKeys: keys.publicKeys, name: name).text
        }
    }

    /// Lines, each with the error that it causes.
    private static func lines() throws -> [(text: String, error: String?)] {
        let texts = try valid()
        let (text, long) = (texts[0], texts[2])
        let zeros = [UInt8](repeating: 0, count: 32)
        let changed = String(text.dropLast()) + (text.last == "a" ? "b" : "a")
        let (content, padding) = (content(of: text), String(repeating: " ", count: 1024 - text.utf8.count))
        // The last letter of this one has a bit that is left over.
        let leftOver = String(long.dropLast()) + (long.last.map { letters.after($0) } ?? "")
        let keys = Array(content.prefix(65))
        let broken: [(String, String?)] = [
            (" \(text.uppercased())\n", nil), (changed, "damagedCard"), ("handoff3:aaaa", "newerCard"),
            ("https://example.org", "notACard"), ("handoff1:aaaa", "olderCard"),
            (line(text, replacing: 1, with: zeros), "weakKey"), (line(text, replacing: 33, with: zeros), "weakKey"),
            (line(text, replacing: 1, with: [UInt8](repeating: 0xFF, count: 32)), "invalidKey"),
            (text + padding, nil), (text + padding + " ", "notACard"), (leftOver, "damagedCard"),
            ("handoff02:" + text.dropFirst(9), "notACard"), ("handoff0:aaaa", "notACard"),
            ("handoff999:aaaa", "newerCard"), ("handoff1000:aaaa", "notACard"), ("handoff2", "notACard"),
            ("handoff2:", "damagedCard"), ("handoff2:aaaa", "damagedCard"), ("handoff2:aaaaaaa1", "damagedCard"),
            (line([3] + content.dropFirst()), "newerCard"), (line([1] + content.dropFirst()), "olderCard"),
            (line(keys), "damagedCard"), (line(keys + [UInt8](repeating: 0x78, count: 65)), "damagedCard"),
            (line(keys + [0x78, 0xFF]), "damagedCard"), (line(Array(keys.dropLast())), "damagedCard"),
        ]
        return texts.map { ($0, nil) } + broken
    }

    /// The alphabet of base32.
    private static let letters = "abcdefghijklmnopqrstuvwxyz234567"

    @Test("The published vectors are what this code generates and reads")
    func published() throws {
        let file = VectorFile(
            about: """
                Cards (Docs/Protocol.md, "Card"). Bytes are hexadecimal. A line with `error` is refused for that reason: \
                a mistake in it, another version, no card at all, or keys that protect or prove nothing.
                """,
            cases: try Self.lines().map { try Case(reading: $0.text) }
        )
        try file.storeIfAsked("card")
        #expect(try VectorFile<Case>.load("card") == file)
        #expect(file.cases.map(\.error) == (try Self.lines().map(\.error)))
    }
}

extension String {
    /// The character after that one, as text.
    fileprivate func after(_ character: Character) -> String {
        firstIndex(of: character).map { String(self[index(after: $0)]) } ?? ""
    }
}
