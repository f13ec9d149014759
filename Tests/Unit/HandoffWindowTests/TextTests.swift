import HandoffWindow
import TestLimits
import Testing

@Suite("Texts of the window", .endsWithin(minutes: 5))
struct TextTests {
    @Test("Values are filled into their places once, whatever they contain; an unknown place stays")
    func places() {
        let text = translated("Continue {title} from {device} {", ["title": "{device}", "device": "desk"])
        #expect(text == "Continue {device} from desk {")
        #expect(translated("{other} {title}", ["title": "x"]) == "{other} x")
    }

    @Test("A number decides on the form")
    func numbers() {
        #expect(counted("{count} device", "{count} devices", 1) == "1 device")
        #expect(counted("{count} device", "{count} devices", 0) == "0 devices")
    }

    @Test(
        "When a device was seen is told in the largest unit that fits",
        arguments: [
            (0, "seen just now"), (59, "seen just now"), (60, "seen 1 minute ago"), (3599, "seen 59 minutes ago"),
            (3600, "seen 1 hour ago"), (86_400, "seen 1 day ago"), (172_800, "seen 2 days ago"),
        ] as [(UInt64, String)]
    )
    func times(seconds: UInt64, text: String) {
        #expect(ago(Fixture.now - seconds * 1_000_000, now: Fixture.now) == text)
    }

    @Test("A device that was never seen is told so, and one of the future was seen just now")
    func unusualTimes() {
        #expect(ago(0, now: Fixture.now) == "never seen")
        #expect(ago(Fixture.now + Fixture.minute, now: Fixture.now) == "seen just now")
    }

    @Test("Marks that change the direction of the text cannot leave the name that has them")
    func direction() {
        #expect(quoted("a\u{2069}b\u{202E}") == "\u{2068}a·b·\u{2069}")
        #expect(shown("👩‍👩‍👧 שלום") == "👩‍👩‍👧 שלום")
    }
}
