import Glibc
import HandoffApps
import TestLimits
import Testing

@Suite("Patterns match names as those of shells do, in a time that is bounded", .endsWithin(minutes: 10))
struct NamePatternTests {
    /// All texts of some characters, up to a length.
    private static func texts(of characters: String, upTo length: Int) -> [String] {
        var all = [""], last = [""]
        for _ in 0..<length {
            last = last.flatMap { text in characters.map { text + String($0) } }
            all += last
        }
        return all
    }

    @Test("Stars, question marks and escapes match as in fnmatch(3), in every short pattern and name")
    func exhaustive() {
        let names = Self.texts(of: "ab*", upTo: 4)
        for pattern in Self.texts(of: "ab*?", upTo: 5) + Self.texts(of: "a*?", upTo: 3).map({ "\\" + $0 + "b" }) {
            let own = NamePattern(pattern)
            for name in names where !pattern.hasSuffix("\\") {
                #expect(own.matches(name) == (fnmatch(pattern, name, 0) == 0), "\(pattern) \(name)")
            }
        }
    }

    @Test(
        "A set is of characters and of ranges, or of all others",
        arguments: [
            "[a-c]", "[!a-c]", "[^a]", "[]a]", "[!]]", "[a-]", "[-a]", "[abc", "[", "x[0-9]*", "*[0-9]x", "[a-cx-z]?",
            "[c-a]", "[[]", "[\\]]", "[a\\-c]", "[\\a-c]", "*.anim[1-9j]",
        ]
    )
    func sets(pattern: String) {
        let own = NamePattern(pattern)
        for name in Self.texts(of: "abc-]x0[", upTo: 2) + [
            "film.anim3", "film.anim0", "film.animj", "[abc", "x12", "12x",
        ] {
            #expect(own.matches(name) == (fnmatch(pattern, name, 0) == 0), "\(pattern) \(name)")
        }
    }

    @Test("A character is one whatever it is made of")
    func scalars() {
        #expect(NamePattern("?x").matches("日x"))
        #expect(NamePattern("[äöü]*").matches("über"))
        #expect(NamePattern("Invoice *").matches("Invoice 日本"))
        #expect(!NamePattern("Invoice *").matches("invoice 1"))
    }

    @Test("A title and a pattern that divide each other in more ways than can be tried are compared at once")
    func hostile() {
        let title = String(repeating: "a", count: 4000)
        #expect(!NamePattern(String(repeating: "*a", count: 60) + "*b").matches(title))
        #expect(NamePattern(String(repeating: "*a", count: 60) + "*").matches(title))
        #expect(!NamePattern(String(repeating: "*?[a-z]", count: 40) + "b").matches(title))
    }
}
