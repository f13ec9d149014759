import DBus
import HandoffBus
import HandoffDesktop
import TestLimits
import Testing

@Suite("Nearby activities are found by words", .endsWithin(minutes: 10))
struct ActivitySearchTests {
    private static func state() -> DesktopState {
        var state = DesktopFixture.running([
            DesktopFixture.nearby(1),
            DesktopFixture.nearby(2, ["ApplicationName": .string("Browser"), "Type": .string("org.example.web")]),
            DesktopFixture.nearby(3, ["OpensWith": .string("none"), "ApplicationName": .string("Editor")]),
        ])
        state.titles[HandoffName.nearbyActivity(1)] = "Shopping list"
        return state
    }

    private static let queries: [(String, [String])] = [
        ("edit", ["1"]), ("EDITOR", ["1"]), ("brow", ["2"]), ("shop", ["1"]), ("lap", ["2", "1"]),
        ("hand", ["2", "1"]), ("handoff", ["2", "1"]), ("handoff shopping", ["1"]), ("web", ["2"]),
        ("editor laptop", ["1"]), ("editor phone", []), ("e", []), ("", []), ("---", []), ("handoffs", []),
        ("list org", ["1"]),
    ]

    @Test("By app, title, device, type and by the name Handoff; each word has to fit", arguments: queries)
    func table(_ query: String, _ found: [String]) {
        let search = ActivitySearch(Self.state().activities)
        let matches = search.matches(of: query.split(separator: " ").map(String.init))
        #expect(matches.map(\.activity.path.lastElement) == found)
        #expect(matches.allSatisfy { (0...1).contains($0.relevance) })
    }

    @Test("A title fits better than a device")
    func order() {
        var state = Self.state()
        state.titles[HandoffName.nearbyActivity(1)] = "Laptop prices"
        let matches = ActivitySearch(state.activities).matches(of: ["laptop"])
        #expect(matches.map(\.activity.path.lastElement) == ["1", "2"])
    }

    @Test(
        "Case and accents make no difference, and without spaces each part of a text is found",
        arguments: [
            ("Café Müller", "cafe", true), ("Café Müller", "MULLER", true), ("Cafe Muller", "café", true),
            ("Cafe\u{301}", "café", true), ("Café", "cafe\u{301}", true), ("Żółć", "zolc", true),
            ("Straße", "strasse", true),
            ("STRASSE", "straße", true), ("Smørrebrød", "smorre", true), ("İstanbul", "istanbul", true),
            ("ISTANBUL", "ıstanbul", true), ("Tiếng Việt", "tieng viet", true), ("Αθήνα", "αθηνα", true),
            ("ΟΔΟΣ", "οδός", true),
            ("Ёлка", "елка", true), ("أحمد", "احمد", true), ("مُحَمَّد", "محمد", true), ("שָׁלוֹם", "שלום", true),
            ("東京都の天気予報", "天気", true), ("東京都の天気予報", "都", true), ("東京都の天気予報", "大阪", false),
            ("คู่มือการใช้งาน", "การใช้", true), ("คู่มือการใช้งาน", "ใช", true), ("เอกสาร", "กสา", true),
            ("今日のFirefox入門", "firefox", true), ("今日のFirefox入門", "入門fire", true), ("Ｆｉｒｅｆｏｘ", "firefox", true),
            ("한글 문서", "문서", true), ("\u{1112}\u{1161}\u{11AB}글", "한글", true), ("पुस्तक सूची", "सूची", true),
            ("Müller", "uller", false), ("a", "à", false), ("Notes", "otes", false), ("naïve", "naive list", false),
        ]
    )
    func folded(_ title: String, _ query: String, _ isFound: Bool) {
        var state = Self.state()
        state.titles[HandoffName.nearbyActivity(1)] = title
        let matches = ActivitySearch(state.activities).matches(of: query.split(separator: " ").map(String.init))
        #expect(matches.contains { $0.activity.path.lastElement == "1" } == isFound)
    }
}
