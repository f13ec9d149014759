import HandoffClient
import TestLimits
import Testing

@Suite("Texts of others in one line", .endsWithin(minutes: 5))
struct TextOfOthersTests {
    @Test(
        "What breaks the line, controls a terminal or changes the writing direction is replaced, and nothing else",
        arguments: [
            ("Draft", "Draft"), ("naïve 日本 👩‍👩‍👧", "naïve 日本 👩‍👩‍👧"), ("a\nb\u{2028}c", "a·b·c"), ("\u{1B}[31m", "·[31m"),
            ("a\u{202E}b\u{2066}c\u{2069}", "a·b·c·"), ("שלום", "שלום"),
        ]
    )
    func lines(_ text: String, _ shown: String) {
        #expect(text.inOneLine() == shown)
    }

    @Test("Characters larger than a program wants are replaced as a whole")
    func piles() {
        let pile = "a" + String(repeating: "\u{301}", count: 40)
        #expect("\(pile)b".inOneLine(" ", largestCharacter: 64) == " b")
        #expect("\(pile)b".inOneLine() == "\(pile)b")
    }

    @Test("A text in the middle of a sentence keeps its direction, and cannot end its isolation")
    func isolation() {
        #expect("a\u{2069}b".inOneLine().isolated == "\u{2068}a·b\u{2069}")
    }
}
