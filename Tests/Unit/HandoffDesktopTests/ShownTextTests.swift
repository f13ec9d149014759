import HandoffBus
import HandoffDesktop
import Testing
import TestLimits

@Suite("Texts of other devices are shown in one line", .endsWithin(minutes: 10))
struct ShownTextTests {
    @Test(
        "Text that could move, reorder or overflow the words around it cannot",
        arguments: [
            ("laptop", "laptop"),
            ("<b>bold</b> & _x_", "<b>bold</b> & _x_"),
            ("a\nb\u{7}\u{1b}[31m", "a·b··[31m"),
            ("evil\u{202e}txt.exe", "evil·txt.exe"),
            ("מחשב", "\u{2068}מחשב\u{2069}"),
            ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"),
            ("a" + String(repeating: "\u{301}", count: 200), "·"),
            ("", ""),
        ]
    )
    func table(_ text: String, _ shown: String) {
        #expect(text.shown == shown)
    }

    @Test("Long text is cut, between characters as people see them")
    func cut() {
        let emoji = String(repeating: "👩‍👩‍👧‍👦", count: 64).shown
        #expect(emoji.count == 60 && emoji.hasSuffix("👩‍👩‍👧‍👦…"))
        #expect(String(repeating: "x", count: 60).shown.count == 60)
    }

    @Test(
        "Markup is escaped, whatever is combined with its characters",
        arguments: [
            ("a & <b>", "a &amp; &lt;b&gt;"),
            ("<\u{301}b>\u{20dd}&\u{fe0f}", "&lt;\u{301}b&gt;\u{20dd}&amp;\u{fe0f}"),
            ("👩‍👩‍👧‍👦 מחשב", "👩‍👩‍👧‍👦 מחשב"),
        ]
    )
    func escaped(_ text: String, _ expected: String) {
        #expect(Array(text.escapedMarkup.unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test("Sentences are broken between words")
    func lines() {
        #expect("one two three".lines(width: 7) == ["one two", "three"])
        #expect("incomprehensibilities of words".lines(width: 5) == ["incomprehensibilities", "of", "words"])
        #expect("".lines(width: 5).isEmpty)
    }
}
