import Logging
import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("A log entry is one line, whatever text it contains", .endsWithin(minutes: 10))
struct LogLineTests {
    private func line(
        _ message: String,
        level: Logger.Level = .info,
        metadata: Logger.Metadata = [:],
        isForeground: Bool = false
    ) -> String {
        LogLine.text(level, message, metadata, time: isForeground ? "12:34:56" : nil)
    }

    @Test("A line for a terminal begins with the time and the level")
    func terminal() {
        #expect(line("hello", isForeground: true) == "12:34:56 info hello\n")
    }

    @Test(
        "A line for the journal begins with the priority of sd-daemon(3)",
        arguments: [
            (Logger.Level.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2),
        ]
    )
    func journal(_ level: Logger.Level, _ priority: Int) {
        #expect(line("hello", level: level) == "<\(priority)>hello\n")
    }

    @Test("Details follow in the order of their names")
    func details() {
        #expect(line("x", metadata: ["b": "2", "a": "1"]) == "<6>x a=1 b=2\n")
    }

    @Test(
        "An uptime has six decimals",
        arguments: [
            (Duration.zero, "0.000000"), (.microseconds(70), "0.000070"),
            (.nanoseconds(12_345_678_901_999), "12345.678901"),
        ]
    )
    func uptime(_ uptime: Duration, _ text: String) {
        #expect(LogLine.text(uptime: uptime) == text)
    }

    @Test(
        "Neither a message nor a detail can start a new line or move the cursor",
        arguments: [
            "\n", "\r\n", "\r", "\u{1B}", "\u{1B}\u{301}", "\u{8}", "\u{0}", "\u{7}", "\u{7F}", "\u{85}", "\u{9B}",
            "\u{2028}",
            "\u{2029}", "\u{202E}", "\u{2066}",
        ]
    )
    func hostileText(_ text: String) {
        let line = line("a\(text)<2>b", metadata: ["key": "c\(text)d"])
        #expect(line.hasPrefix("<6>a"))
        #expect(line.hasSuffix("\n"))
        let inside = line.unicodeScalars.dropLast()
        for scalar in text.unicodeScalars where scalar != "\u{301}" { #expect(!inside.contains(scalar)) }
        #expect(line.contains("<2>b key=c"))
    }

    @Test("Text of any script is left unchanged")
    func honestText() {
        #expect(
            line("Grüße 世界 \u{1F468}\u{200D}\u{1F469} e\u{301}") == "<6>Grüße 世界 \u{1F468}\u{200D}\u{1F469} e\u{301}\n"
        )
    }
}
