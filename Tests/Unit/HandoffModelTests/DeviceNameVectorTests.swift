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
        ("nothing", ""), ("nothing that is shown", " \u{200B}\u{3164}\u{301}"),
    ]

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Names (Docs/Protocol.md, "Names"): what a message states and what is shown, as UTF-8 in hexadecimal. \
                Where nothing is left, `shown` is empty, and the device identifier is shown.
                """,
            cases: Self.inputs.map { input in
                let shown = DeviceName(cleaning: input.stated)?.rawValue ?? ""
                return Case(what: input.what, stated: hex(input.stated.utf8), shown: hex(shown.utf8))
            }
        )
        try file.storeIfAsked("names")
        #expect(try VectorFile<Case>.load("names") == file)
    }
}
