import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Device names", .endsWithin(minutes: 10))
struct DeviceNameTests {
    private static let id = DeviceID(number: 0x001A_FF03_0405_0690)

    @Test("White space of a name is reduced to single spaces, and removed at both ends")
    func blanks() throws {
        #expect(try DeviceName(" \t Kitchen  Laptop\n").rawValue == "Kitchen Laptop")
        #expect(try DeviceName("Kitchen\u{A0}\u{3000}Laptop\u{2800}").rawValue == "Kitchen Laptop")
    }

    @Test(
        "A name that its user gives is refused when cleaning would remove something, and when it is too long",
        arguments: [
            "", "  ", "a\nb", "a\u{0}", "a\u{202E}b", "a\u{AD}b", "a\u{200D}b", "\u{301}a", "a\u{E000}",
            "a" + String(repeating: "\u{301}", count: 9), String(repeating: "ä", count: 33),
        ]
    )
    func refusedName(name: String) {
        let error = #expect(throws: ModelError.self) { try DeviceName(name) }
        #expect(error?.code == .invalidName)
    }

    /// Names of real writing systems and emoji, none of which cleaning changes.
    static let ordinaryNames: [String] = [
        "Küche", "👩‍💻", "👨‍👩‍👧‍👦 Tablet", "❤️‍🔥", "🏳️‍🌈", "👍🏽", "🇩🇪", "1️⃣",
        "کتاب‌خانه", "می‌خواهم", "לִפְנֵי הַסְּפִירָה", "مكتب", "क्‍ष", "ශ්‍රී", "ห้องน้ำ", "བསྒྲུབས", "텔레비전", "デスク",
        "Zalgo\u{301}\u{302}\u{303}",
        // A code point that Unicode 16.0 does not assign: a later version may.
        "a\u{378}\u{1FAFF}",
    ]

    @Test(
        "A name in another script or with emoji is accepted as it is, from its user and from a peer",
        arguments: ordinaryNames
    )
    func ordinary(name: String) throws {
        #expect(try DeviceName(name).rawValue.utf8.elementsEqual(name.utf8))
        #expect(DeviceName(cleaning: name, of: Self.id).rawValue.utf8.elementsEqual(name.utf8))
    }

    /// Code points that no version of Unicode will assign; Swift has no literals of them.
    private static let noncharacters = String(
        String.UnicodeScalarView([0xFDD0, 0x1FFFE, 0x10FFFF].compactMap { Unicode.Scalar($0 as UInt32) })
    )

    /// What peers state, and what is shown.
    static let statedNames: [(text: String, name: String)] = [
        ("laptop.local", "laptop.local"), ("a\nb", "a b"), ("a\r\n\u{2028} b", "a b"), ("a\u{7}b", "ab"),
        ("desk\u{202E}pot", "deskpot"), ("a\u{200B}b\u{FEFF}", "ab"), ("a\u{E0041}b", "ab"), ("a\u{3164}", "a"),
        ("a\(noncharacters)b", "ab"), ("a\u{1B}[31mb", "a[31mb"),
        // Joiners stay only between characters that can be joined.
        ("a\u{200D}b", "ab"), ("\u{200C}می", "می"), ("می\u{200C}", "می"), ("می\u{200C} خ", "می خ"),
        ("می\u{200D}\u{200C}خ", "می\u{200C}خ"), ("م\u{200C}a", "مa"),
        ("\u{301}\u{302} a", "a"), ("a \u{301}", "a \u{301}"),
        ("a" + String(repeating: "\u{301}", count: 100) + "b", "a" + String(repeating: "\u{301}", count: 8) + "b"),
        (String(repeating: "ä", count: 40), String(repeating: "ä", count: 32)),
        (String(repeating: "a", count: 63) + "ä", String(repeating: "a", count: 63)),
        (String(repeating: "a", count: 63) + " b", String(repeating: "a", count: 63)),
        (String(repeating: "a", count: 60) + "👩‍💻", String(repeating: "a", count: 60) + "👩"),
    ]

    @Test("A peer's name loses what could mislead, and keeps the rest", arguments: statedNames)
    func cleaned(text: String, name: String) throws {
        #expect(Array(DeviceName(cleaning: text, of: Self.id).rawValue.utf8) == Array(name.utf8))
    }

    @Test(
        "A name of which nothing is left is the identifier of its device",
        arguments: ["", " \u{7} ", "\u{202E}", "\u{301}"]
    )
    func nothingLeft(text: String) {
        #expect(DeviceName(cleaning: text) == nil)
        #expect(DeviceName(cleaning: text, of: Self.id).rawValue == "001aff0304050690")
    }

    @Test("Cleaning any text twice is cleaning it once; the result is never empty, never longer, and valid")
    func properties() throws {
        var random = SeededRandom(seed: 31)
        for _ in 0..<3000 {
            let text = Self.text(using: &random)
            let name = DeviceName(cleaning: text, of: Self.id)
            let again = DeviceName(cleaning: name.rawValue, of: Self.id)
            #expect(again.rawValue.utf8.elementsEqual(name.rawValue.utf8), "\(text.debugDescription)")
            #expect((1...64).contains(name.rawValue.utf8.count), "\(text.debugDescription)")
            #expect(try DeviceName(name.rawValue) == name, "\(text.debugDescription)")
            if let cleaned = DeviceName(cleaning: text) {
                #expect(cleaned.rawValue.utf8.count <= text.utf8.count, "\(text.debugDescription)")
            }
        }
    }

    @Test("What a message states is kept byte by byte, and compared so")
    func stated() throws {
        let text = "e\u{301}\u{202E}\n"
        #expect(try StatedName(text).rawValue.utf8.elementsEqual(text.utf8))
        #expect(try StatedName(text).name(of: Self.id).rawValue == "é")
        #expect(try StatedName("é") != StatedName("e\u{301}"))
        #expect(try StatedName("e\u{301}") < StatedName("é"))
        #expect(try StatedName("").name(of: Self.id).rawValue == "001aff0304050690")
        #expect(throws: ModelError.self) { try StatedName(String(repeating: "a", count: 257)) }
    }

    /// Returns up to 40 code points, mostly of the kinds that the rules treat differently.
    private static func text(using random: inout SeededRandom) -> String {
        let kinds: [[Unicode.Scalar]] = [
            ["\u{200C}", "\u{200D}"], [" ", "\n", "\u{A0}", "\u{2800}"], ["\u{301}", "\u{64B}", "\u{FE0F}", "\u{93F}"],
            ["a", "Z", "é"], ["م", "💻", "क", "א"], ["\u{202E}", "\u{0}", "\u{E0041}", "\u{3164}"],
        ]
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...40, using: &random) {
            if Bool.random(using: &random), let kind = kinds.randomElement(using: &random),
                let scalar = kind.randomElement(using: &random)
            {
                scalars.append(scalar)
            } else if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random)) {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
