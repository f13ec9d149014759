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
}
