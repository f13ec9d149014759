import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCrypto

@Suite("Cards", .endsWithin(minutes: 10))
struct CardTests {
    private func card(name: String = "Küche") throws -> CardText {
        try CardText(
            publicKeys: DevicePublicKeys(rawRepresentation: [UInt8](repeating: 7, count: 64)),
            name: name
        )
    }

    @Test(
        "A card is the same after it was written as a line and parsed",
        arguments: ["a", "Küche", String(repeating: "x", count: 64)]
    )
    func roundTrip(name: String) throws {
        let card = try card(name: name)
        #expect(try CardText(parsing: card.text) == card)
        #expect(try CardText(parsing: " \t\(card.text)\r\n") == card)
        #expect(try CardText(parsing: card.text.uppercased()) == card)
        #expect(card.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test("A card with any one letter changed, left out or doubled is damaged")
    func damaged() throws {
        let text = Array(try card().text)
        for index in 9..<text.count {
            for other in ["a", "b", "1", "=", "é"] as [Character] where other != text[index] {
                expectDamaged(String(text[..<index] + [other] + text[(index + 1)...]))
            }
            expectDamaged(String(text[..<index] + text[(index + 1)...]))
            expectDamaged(String(text[...index] + text[index...]))
        }
        for end in 9..<text.count { expectDamaged(String(text[..<end])) }
    }

    private func expectDamaged(_ text: String) {
        let error = #expect(throws: CryptoError.self) { try CardText(parsing: text) }
        #expect(error?.code == .damagedCard)
    }

    @Test(
        "Other text is not a card",
        arguments: [
            "", " ", "handoff", "handoff2", "handoff:abc", "handoffx:abc", "https://example.org", "hand off1:aa",
            "handoff9999:aa",
            "handoff-1:aa", "handoff0:aa", "handoff+1:aa", "handoff１:aa",
            "handoff2:" + String(repeating: "a", count: 5000),
        ]
    )
    func notACard(text: String) {
        let error = #expect(throws: CryptoError.self) { try CardText(parsing: text) }
        #expect(error?.code == .notACard)
    }

    @Test("A card of a newer version is distinguished from a damaged one")
    func newer() throws {
        let content: [UInt8] = [3, 1, 2, 3]
        let inside = "handoff2:" + Base32.encode(content + HandoffDigest.sha256(content).prefix(4))
        for text in ["handoff3:aaaa", "HANDOFF12:", inside] {
            let error = #expect(throws: CryptoError.self) { try CardText(parsing: text) }
            #expect(error?.code == .newerCard)
        }
    }

    @Test("A card of an older version is distinguished from a damaged one")
    func older() throws {
        let content: [UInt8] = [1, 1, 2, 3]
        let inside = "handoff2:" + Base32.encode(content + HandoffDigest.sha256(content).prefix(4))
        for text in ["handoff1:aaaa", inside] {
            let error = #expect(throws: CryptoError.self) { try CardText(parsing: text) }
            #expect(error?.code == .olderCard)
        }
    }

    @Test("A card with keys that protect or prove nothing is refused", arguments: [0, 32])
    func weakKeys(offset: Int) throws {
        var content: [UInt8] = [CardText.version] + [UInt8](repeating: 7, count: 64) + [0x61]
        content.replaceSubrange((1 + offset)..<(33 + offset), with: [UInt8](repeating: 0, count: 32))
        let text = "handoff2:" + Base32.encode(content + HandoffDigest.sha256(content).prefix(4))
        let error = #expect(throws: CryptoError.self) { try CardText(parsing: text) }
        #expect(error?.code == .weakKey)
    }

    @Test("A card with a correct checksum over wrong content is damaged")
    func wrongContent() throws {
        let keys = [CardText.version] + [UInt8](repeating: 7, count: 64)
        for content in [[], [2], keys, keys + [0xFF], keys + [UInt8](repeating: 0x61, count: 65)] {
            let text = "handoff2:" + Base32.encode(content + HandoffDigest.sha256(content).prefix(4))
            expectDamaged(text)
        }
    }

    @Test("A name that is empty or too long is refused", arguments: ["", String(repeating: "ü", count: 33)])
    func name(name: String) {
        let error = #expect(throws: CryptoError.self) { try card(name: name) }
        #expect(error?.code == .invalidName)
    }

    @Test(
        "The base32 encoding agrees with RFC 4648 section 10",
        arguments: [
            ("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"), ("fooba", "mzxw6ytb"),
            ("foobar", "mzxw6ytboi"),
        ]
    )
    func base32(plain: String, encoded: String) {
        #expect(Base32.encode(Array(plain.utf8)) == encoded)
        #expect(Base32.decode(encoded.utf8) == Array(plain.utf8))
    }

    @Test("Base32 that is not the canonical encoding is refused", arguments: ["a", "mz", "mzx", "mzxw6y", "my=", "m1"])
    func notBase32(text: String) {
        #expect(Base32.decode(text.utf8) == nil)
    }
}
