import FoundationEssentials
import HandoffBus
import HandoffModel
import Testing
import TestLimits

@testable import HandoffCLI

@Suite("Tables and times are written for a terminal", .endsWithin(minutes: 10))
struct TerminalTextTests {
    @Test(
        "The width of a text is counted in cells",
        arguments: [
            ("laptop", 6), ("Büro 🖥️", 7), ("e\u{301}", 1), ("世界", 4), ("カナ", 4), ("ｶﾅ", 2), ("한국", 4),
            ("\u{1F468}\u{200D}\u{1F469}", 2), ("🇩🇪", 2), ("", 0), ("…", 1), ("a\u{200B}b", 2),
        ]
    )
    func width(_ text: String, _ cells: Int) {
        #expect(text.cellCount == cells)
    }

    @Test("Nothing in a line of JSON steers a terminal, and a reader of JSON gets the same text")
    func json() throws {
        let text = "{\"a\":\"\u{9B}31m\u{202E}x😀\"}"
        let escaped = Output.escaped(text)
        #expect(escaped == #"{"a":"\u009b31m\u202ex😀"}"#)
        let decoder = JSONDecoder()
        #expect(
            try decoder.decode([String: String].self, from: Data(escaped.utf8))
                == decoder.decode([String: String].self, from: Data(text.utf8))
        )
        #expect(Output.escaped(#"{"a":1}"#) == #"{"a":1}"#)
    }

    @Test("Columns are aligned on a terminal, whatever the script of their cells")
    func columns() {
        var table = Table("NAME", "STATE")
        table.append("Büro 🖥️", "trusted")
        table.append("世界", "trusted")
        let lines = table.text(fitting: nil).split(separator: "\n").map(String.init)
        let places = lines.map { line in line.prefix { $0 != "S" && $0 != "t" }.map(String.init).joined().cellCount }
        #expect(places == [9, 9, 9])
    }

    @Test("A line that is too long for the terminal loses the end of its longest cells, not whole columns")
    func narrow() {
        var table = Table("ID", "NAME", "TYPE")
        table.append("1", String(repeating: "n", count: 60), "org.example.notes.editing")
        let text = table.text(fitting: 40)
        #expect(text.split(separator: "\n").allSatisfy { String($0).cellCount <= 40 })
        #expect(text.contains("n…  "))
        #expect(text.contains("1   nnn"))
        #expect(Table("ID", "A").text(fitting: 1) == "ID  A", "a terminal too narrow for anything changes nothing")
    }

    @Test(
        "A note is broken between words, never in one",
        arguments: [
            ("one two three", 7, "one two\nthree"), ("one two three", 13, "one two three"), ("", 5, ""),
            ("a\nlonger line", 6, "a\nlonger\nline"), ("incomprehensible word", 5, "incomprehensible\nword"),
            ("\u{6F22}\u{5B57} a", 5, "\u{6F22}\u{5B57}\na"), ("  two spaces", 8, "  two\nspaces"),
        ]
    )
    func wrapping(_ text: String, _ width: Int, _ wrapped: String) {
        #expect(text.wrapped(toCells: width) == wrapped)
    }

    @Test(
        "A time is told by how long ago it was, and no more exactly than it is known",
        arguments: [
            (20, 5, "just now"), (60 * 5, 5, "5 minutes ago"), (60, 5, "1 minute ago"), (7200, 5, "2 hours ago"),
            (86_400 * 3, 5, "3 days ago"), (3 * 3600, 0, "about 3 hours ago"), (3600, 0, "within 2 hours"),
            (-5, 5, "just now"),
        ] as [(Int64, Int64, String)]
    )
    func ago(_ elapsed: Int64, _ offset: Int64, _ text: String) throws {
        let moment = try Timestamp(seconds: 1_795_240_800 + offset)
        #expect(try moment.ago(at: Timestamp(seconds: moment.seconds + elapsed)) == text)
    }

    @Test("A time of more than a week ago is a date")
    func longAgo() throws {
        let moment = try Timestamp(seconds: 1_795_240_805)
        let text = try moment.ago(at: Timestamp(seconds: moment.seconds + 86_400 * 8))
        #expect(text.wholeMatch(of: /2026-11-2[01]/) != nil, "\(text)")
    }

    @Test("Zero, which stands for never on the bus, is no time")
    func never() {
        #expect(Timestamp(microseconds: 0) == nil)
        #expect(Timestamp(microseconds: 1_500_000)?.description == "1970-01-01T00:00:01.500Z")
    }
}
