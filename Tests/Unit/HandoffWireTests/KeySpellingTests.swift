import Foundation
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Keys in several Unicode spellings", .endsWithin(minutes: 10))
struct KeySpellingTests {
    /// Letters with their precomposed forms, and marks of several combining classes.
    private static let letters = ["e", "\u{E9}", "o", "\u{F4}", "a", "\u{1EAD}", "\u{1112}\u{1161}", "\u{D558}", "k"]
    private static let marks = ["\u{301}", "\u{302}", "\u{323}", "\u{327}", "\u{5B0}", "\u{345}"]

    private static func text(_ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let count = Int.random(in: 0...3, using: &random)
            return letters.randomElement(using: &random)!
                + (0..<count).map { _ in marks.randomElement(using: &random)! }.joined()
        }
        .joined()
    }

    /// Another spelling of a text, or another text.
    private static func other(than text: String, _ random: inout SeededRandom) -> String {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text.precomposedStringWithCanonicalMapping
        case 1: text.decomposedStringWithCanonicalMapping
        case 2: String(String.UnicodeScalarView(text.unicodeScalars.shuffled(using: &random)))
        default: Self.text(&random)
        }
    }

    /// The bytes of an answer whose activity has these keys, written without a dictionary of Swift.
    private static func answer(_ keys: [String]) -> [UInt8] {
        func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
            var (rest, length): (Int, [UInt8]) = (content.count, [])
            while rest > 0x7F {
                length.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            return [number << 3 | 2] + length + [UInt8(rest)] + content
        }
        let sorted = keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        let entries = sorted.flatMap { field(4, field(1, $0) + field(2, field(1, []))) }
        return field(1, field(1, Array("a.b".utf8)) + entries)
    }

    @Test("A key keeps its bytes; two keys are refused exactly if Unicode regards them as one text", arguments: 0..<200)
    func spellings(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20 {
            let one = Self.text(&random)
            let other = Self.other(than: one, &random)
            for key in [one, other] {
                let bytes = Self.answer([key])
                #expect(try Answer(decoding: bytes).encode() == bytes)
            }
            let isSame =
                Array(one.precomposedStringWithCanonicalMapping.utf8)
                == Array(other.precomposedStringWithCanonicalMapping.utf8)
            let both = Self.answer([one, other])
            if isSame {
                let error = #expect(throws: WireError.self) { try Answer(decoding: both) }
                #expect(error?.code == .invalidContent)
            } else {
                #expect(try Answer(decoding: both).encode() == both)
            }
            let activities = try [one, other].map { try Answer(decoding: Self.answer([$0])) }
            #expect((activities[0] == activities[1]) == one.utf8.elementsEqual(other.utf8))
        }
    }

    @Test("A change of the spelling is a change, in every text of an activity")
    func changes() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let make: [(String) throws -> Activity] = [
            { try Activity(type: .browsingWeb, title: $0) },
            { try Activity(type: .browsingWeb, userInfo: [$0: .null]) },
            { try Activity(type: .browsingWeb, userInfo: ["k": .dictionary([$0: .null])]) },
            { try Activity(type: .browsingWeb, userInfo: ["k": .string($0)]) },
            { try Activity(type: .browsingWeb, requiredUserInfoKeys: [$0]) },
            { try Activity(type: .browsingWeb, targetContentIdentifier: $0) },
            { try Activity(type: .browsingWeb, persistentIdentifier: $0) },
        ]
        for (number, make) in make.enumerated() {
            #expect(try make(composed) != make(decomposed), "\(number)")
            #expect(try make(composed) == make(composed), "\(number)")
        }
    }

    @Test("A key has at most 1024 bytes, at any depth, and so has a required one, before keys are compared")
    func lengths() throws {
        let longest = String(repeating: "k", count: 1024)
        let deep = try Activity(
            type: .browsingWeb,
            userInfo: [longest: .dictionary([longest: .null])],
            requiredUserInfoKeys: [longest]
        )
        let bytes = Answer.activity(deep).encode()
        #expect(try Answer(decoding: bytes).encode() == bytes)
        for userInfo in [[longest + "k": .null], ["k": .dictionary([longest + "k": .null])]]
            as [[String: UserInfoValue]]
        {
            #expect { try Activity(type: .browsingWeb, userInfo: userInfo) } throws: {
                ($0 as? ModelError)?.code == .invalidValue
            }
        }
        #expect(throws: ModelError.self) { try Activity(type: .browsingWeb, requiredUserInfoKeys: [longest + "k"]) }
        // Marks that would have to be sorted.
        let marks = "a" + String(repeating: "\u{301}\u{323}", count: 5000)
        let error = #expect(throws: WireError.self) { try Answer(decoding: Self.answer([marks, marks + "b"])) }
        #expect(error?.code == .invalidContent)
    }
}
