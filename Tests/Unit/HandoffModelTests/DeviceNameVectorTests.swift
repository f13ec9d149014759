import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Name vectors", .endsWithin(minutes: 10))
struct DeviceNameVectorTests {
    /// A name as it was stated, and as it is shown; both are UTF-8 in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let what: String
        let stated: String
        /// Empty when nothing is left: the device identifier is shown instead.
        let shown: String
    }

    /// Swift has no literals of these code points.
    private static let noncharacters = String(
        String.UnicodeScalarView([0xFDD0, 0x1FFFE, 0x10FFFF].compactMap { Unicode.Scalar($0 as UInt32) })
    )

    private static let inputs: [(what: String, stated: String)] = [
        ("letters", "Küche"), ("joined emoji", "👩‍💻"), ("Persian with a non-joiner", "می\u{200C}خواهم"),
        ("Hebrew with points", "לִפְנֵי"), ("a flag and a keycap", "🇩🇪 1️⃣"), ("an unassigned code point", "a\u{378}"),
        ("white space", " \u{3000}a \t\r\n b\u{2800}"),
        ("controls and formatting", "a\u{1B}b\u{202E}c\u{E0041}\u{FEFF}"),
        ("private use and noncharacters", "a\u{E000}\(noncharacters)b"),
        ("joiners that join nothing", "\u{200D}a\u{200D}b می\u{200C} م\u{200C}a م\u{200D}\u{200C}م\u{200C}"),
        ("marks without a character", "\u{301}\u{302} a"), ("a mark after a space", "a \u{301}"),
        ("nine marks", "a" + String(repeating: "\u{301}", count: 9) + "b"),
        ("nine marks, one of them after a joiner", "م" + String(repeating: "\u{64B}", count: 8) + "\u{200D}\u{64B}م"),
        ("70 bytes", String(repeating: "ä", count: 35)), ("65 bytes", String(repeating: "a", count: 62) + "€"),
        ("a cut between joined emoji", String(repeating: "a", count: 60) + "👩‍💻"),
        ("a cut before a mark", String(repeating: "a", count: 64) + "\u{301}"),
        ("a cut at a space", String(repeating: "a", count: 63) + " b"),
        ("a cut before a letter that would still fit", String(repeating: "a", count: 63) + "€b"),
        ("a joiner after white space", "\u{627} \u{200D}\u{628}"),
        ("joiners between the first code points that they join", "\u{590}\u{200D}\u{590}\u{200C}\u{627}"),
        ("joiners after and before the last code point that they do not join", "\u{58F}\u{200D}\u{627}\u{200D}\u{58F}"),
        (
            "nine marks after a space, after eight",
            "a" + String(repeating: "\u{301}", count: 8) + " " + String(repeating: "\u{302}", count: 9) + "b"
        ),
        ("nothing", ""), ("nothing that is shown", " \u{200B}\u{3164}\u{301}"),
    ]

    /// The code points that are white space, and those that are removed, of Docs/Protocol.md, in hexadecimal.
    private static let listed = """
        9-D 20 85 A0 1680 2000-200A 2028 2029 202F 205F 2800 3000
        0-8 E-1F 7F-84 86-9F AD 34F 600-605 61C 6DD 70F 890 891 8E2 115F 1160 17B4 17B5 180E 200B 200E 200F 202A-202E
        2060-206F 3164 FEFF FFA0 FFF0-FFFB 110BD 110CD 13430-1343F 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF E000-F8FF
        F0000-10FFFF FDD0-FDEF FFFE-FFFF 1FFFE-1FFFF
        """

    /// For each of them, its first and last code point, and the ones before and after, between letters.
    private static var ends: [(what: String, stated: String)] {
        listed.split { $0 == " " || $0 == "\n" }.map { range in
            let ends = range.split(separator: "-").compactMap { UInt32($0, radix: 16) }
            let (first, last) = (ends.first ?? 0, ends.last ?? 0)
            let scalars = [first &- 1, first, last, last + 1].map { Unicode.Scalar($0).map(String.init) ?? "" }
            return ("U+\(range)", zip("abcd", scalars).map { "\($0)\($1)" }.joined() + "e")
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Names (Docs/Protocol.md, "Names"): what a message states and what is shown, as UTF-8 in hexadecimal. \
                Where nothing is left, `shown` is empty, and the device identifier is shown.
                """,
            cases: (Self.inputs + Self.ends).map { input in
                let shown = DeviceName(cleaning: input.stated)?.rawValue ?? ""
                return Case(what: input.what, stated: hex(input.stated.utf8), shown: hex(shown.utf8))
            }
        )
        try file.storeIfAsked("names")
        #expect(try VectorFile<Case>.load("names") == file)
    }
}
