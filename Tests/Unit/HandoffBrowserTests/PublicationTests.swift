import HandoffBrowser
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Which page is published, and when", .endsWithin(minutes: 10))
struct PublicationTests {
    private static func page(_ name: String) throws -> PublishedPage {
        try #require(PublishedPage(url: "https://example.org/\(name)", title: name))
    }

    @Test(
        "What is never published",
        arguments: [
            "", "file:///etc/passwd", "about:config", "chrome://settings/", "moz-extension://a/b.html",
            "chrome-extension://a/b", "view-source:https://example.org/", "data:text/html,x",
            "blob:https://example.org/1",
            "javascript:alert(1)", "ftp://example.org/", "https://", "https:///path", "https://me@example.org/",
            "https://me:secret@example.org/", "https://:@example.org/", "HTTPS://me:secret@example.org/",
            "https://a\\@example.org/b", "https://example.org/a b", "https://example.org/\u{202E}a", "http:example.org",
            "https://example.org/" + String(repeating: "a", count: 2048),
        ]
    )
    func never(_ url: String) {
        // A backslash ends the host (WHATWG URL), so that what follows is a path with an at sign.
        #expect((PublishedPage(url: url, title: "x") == nil) == (url != "https://a\\@example.org/b"))
    }

    @Test(
        "What is published",
        arguments: [
            "https://example.org/", "http://127.0.0.1:8000/a?b=c#d", "https://example.org/@me",
            "https://example.org?a=b@c",
            "https://xn--bcher-kva.example/",
        ]
    )
    func published(_ url: String) {
        #expect(PublishedPage(url: url, title: "")?.address == url)
    }

    @Test(
        "A title is shown on one line, in its own direction, and cut at a character",
        arguments: [
            ("Draft", "Draft"), ("a\nb\u{0}c", "a b c"), ("a\u{202E}b\u{2066}c", "a b c"), ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"),
            (String(repeating: "é", count: 200), String(repeating: "é", count: 128)),
            (String(repeating: "a", count: 255) + "é", String(repeating: "a", count: 255)),
        ]
    )
    func titles(_ title: String, _ shown: String) {
        #expect(PublishedPage(url: "https://example.org/", title: title)?.title == shown)
    }

    @Test("The first page is published at once, the next one after the shortest interval, and those between never")
    func pace() throws {
        var pacer = PublicationPacer()
        let start = ContinuousClock.now
        let (one, two, three) = (try Self.page("1"), try Self.page("2"), try Self.page("3"))
        #expect(pacer.show(one, isFocused: true, at: start) == [.publish(one), .needsSave, .becomeCurrent])
        #expect(pacer.show(two, isFocused: true, at: start + .milliseconds(10)) == [])
        #expect(pacer.show(three, isFocused: false, at: start + .milliseconds(20)) == [])
        #expect(pacer.page == one && pacer.deadline == start + PublicationPacer.shortestInterval)
        #expect(pacer.pass(at: start + .milliseconds(299)) == [])
        let actions = pacer.pass(at: start + .milliseconds(300))
        #expect(
            actions == [.publish(three), .needsSave, .becomeCurrent],
            "the window that was focused meanwhile counts"
        )
        #expect(pacer.deadline == nil)
        #expect(pacer.show(one, isFocused: false, at: start + .seconds(1)) == [.publish(one), .needsSave])
    }

    @Test("A page that is never published ends the activity at once, and so does its end; both cancel what waits")
    func withdrawal() throws {
        let start = ContinuousClock.now
        for end in [{ $0.withdraw() }, { $0.show(nil, isFocused: true, at: start + .milliseconds(20)) }]
            as [(inout PublicationPacer) -> [PublicationPacer.Action]]
        {
            var pacer = PublicationPacer()
            #expect(end(&pacer) == [], "there is nothing to end")
            _ = pacer.show(try Self.page("1"), isFocused: true, at: start)
            _ = pacer.show(try Self.page("2"), isFocused: true, at: start + .milliseconds(10))
            #expect(end(&pacer) == [.withdraw])
            #expect(pacer.deadline == nil && pacer.pass(at: start + .seconds(9)) == [])
        }
    }

    @Test("A page that nobody looks at begins no activity, but changes the one that is published")
    func background() throws {
        var pacer = PublicationPacer()
        let start = ContinuousClock.now
        let (one, two) = (try Self.page("1"), try Self.page("2"))
        #expect(pacer.show(one, isFocused: false, at: start) == [])
        _ = pacer.show(one, isFocused: true, at: start)
        #expect(pacer.show(two, isFocused: false, at: start + .seconds(1)) == [.publish(two), .needsSave])
        #expect(pacer.show(two, isFocused: true, at: start + .seconds(2)) == [.becomeCurrent, .needsSave])
        #expect(pacer.show(two, isFocused: false, at: start + .seconds(3)) == [.needsSave])
    }

    @Test("In any history nothing is published twice within the interval, and the page that is left is the last shown")
    func histories() throws {
        var random = SeededRandom(seed: 300)
        let pages = try (0..<4).map { try Self.page("\($0)") }
        for _ in 0..<500 {
            var (pacer, now) = (PublicationPacer(), ContinuousClock.now)
            var (shown, last): (PublishedPage?, ContinuousClock.Instant?) = (nil, nil)
            for _ in 0..<40 {
                now += .milliseconds(Int.random(in: 0...200, using: &random))
                var actions = pacer.pass(at: now)
                if Bool.random(using: &random) {
                    shown = Int.random(in: 0..<8, using: &random) == 0 ? nil : pages.randomElement(using: &random)
                    actions += pacer.show(shown, isFocused: true, at: now)
                }
                for case .publish in actions {
                    #expect(last.map { now - $0 >= PublicationPacer.shortestInterval } ?? true)
                    last = now
                }
                #expect(shown != nil || pacer.page == nil, "a withdrawal is never late")
            }
            if let deadline = pacer.deadline { _ = pacer.pass(at: deadline) }
            #expect(pacer.page == shown)
        }
    }
}
