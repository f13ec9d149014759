import TestLimits
import Testing

@testable import HandoffCLI

@Suite("Text for users is aligned, and control characters are replaced", .endsWithin(minutes: 10))
struct TextTests {
    @Test("Columns are as wide as their widest cell, and no line ends in blanks")
    func table() {
        var table = Table("ID", "DEVICE", "WEB")
        table.append("1", "laptop", "yes")
        table.append("1000", "é", "")
        #expect(table.text == "ID    DEVICE  WEB\n1     laptop  yes\n1000  é")
    }

    @Test(
        "Text from outside can neither move the cursor nor reverse the direction of the text",
        arguments: ["\u{1B}[2J", "\r", "\n", "\r\n", "\u{8}", "\u{9B}", "\u{85}", "\u{202E}", "\u{2066}", "\u{2028}"]
    )
    func control(_ text: String) {
        let shown = printable("a\(text)b")
        #expect(shown.hasPrefix("a"))
        #expect(shown.contains("·"))
        #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(!shown.unicodeScalars.contains { $0.properties.isBidiControl || $0 == "\u{2028}" })
    }

    @Test("The lines of a text remain, and each is safe")
    func lines() {
        #expect(printableLines("a\u{1B}[2J\n\nb\u{202E}") == "a·[2J\n\nb·")
    }

    @Test("Text of any script is left unchanged")
    func honestText() {
        for text in ["Grüße 世界", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}"] { #expect(printable(text) == text) }
    }
}
