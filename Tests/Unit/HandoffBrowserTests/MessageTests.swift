import Foundation
@testable import HandoffBrowser
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Messages of the extension and of its host", .endsWithin(minutes: 10))
struct MessageTests {
    private static let page = PublishedPage(url: "https://example.org/a", title: "A")

    @Test(
        "Every message of the extension is read",
        arguments: [
            (#"{"type":"hello","protocol":1,"browser":"firefox"}"#, .hello(.firefox)),
            (#"{"type":"hello","protocol":1,"browser":"chromium","more":{"a":[1]}}"#, .hello(.chromium)),
            (
                #"{"type":"page","url":"https://example.org/a","title":"A","focused":true}"#,
                .page(page, isFocused: true)
            ),
            (#"{"type":"page","url":"https://example.org/a","title":"A"}"#, .page(page, isFocused: false)),
            (#"{"type":"page","url":"about:config","title":"A","focused":true}"#, .page(nil, isFocused: true)),
            (#"{"type":"noPage"}"#, .noPage),
            (#"{"type":"saved","id":7}"#, .saved(7, url: "", nil)),
            (#"{"type":"opened","id":4294967295,"opened":false}"#, .opened(4_294_967_295, false)),
            (#"{"type":"look","on":true}"#, .look(true)),
            (#"{"type":"continue","id":1,"entry":3}"#, .continue(1, entry: 3)),
        ] as [(String, BrowserMessage)]
    )
    func reading(_ text: String, _ message: BrowserMessage) throws {
        #expect(try BrowserMessage(Array(text.utf8)) == message)
    }

    @Test("A state with all its parts is read, and becomes the userInfo of an activity and back")
    func state() throws {
        let parts = #"{"scroll":0.5,"anchor":"é","selection":"s","page":"p"}"#
        let text = #"{"type":"saved","id":1,"url":"https://a.b/","state":\#(parts)}"#
        guard case .saved(1, "https://a.b/", let state?) = try BrowserMessage(Array(text.utf8)) else {
            Issue.record("another message")
            return
        }
        let expected: [String: UserInfoValue] = [
            "Version": .integer(1), "Scroll": .real(0.5), "Anchor": .string("é"), "Selection": .string("s"),
            "PageState": .string("p"),
        ]
        #expect(state.userInfo == expected)
        #expect(PageState(state.userInfo) == state)
    }

    @Test(
        "The state of another device is taken in as far as it has the right form",
        arguments: [
            [:], ["Scroll": .string("0.5")], ["Scroll": .real(1.5)], ["Scroll": .real(.nan)], ["Scroll": .integer(1)],
            ["Anchor": .string(String(repeating: "a", count: 1025))], ["Selection": .data([1])],
        ] as [[String: UserInfoValue]]
    )
    func foreignState(_ userInfo: [String: UserInfoValue]) {
        #expect(PageState(userInfo) == PageState())
    }

    @Test(
        "What is no message is refused, by its code",
        arguments: [
            ("", "invalidMessage"), ("null", "invalidMessage"), ("[]", "invalidMessage"), ("{", "invalidMessage"),
            (#"{"type":7}"#, "invalidMessage"), ("{}", "invalidMessage"), (#" {"type":"noPage"}"#, "invalidMessage"),
            (#"{"type":"evaluate"}"#, "unknownMessage"),
            (#"{"type":"hello","protocol":2,"browser":"firefox"}"#, "unsupportedProtocol"),
            (#"{"type":"hello","browser":"firefox"}"#, "unsupportedProtocol"),
            (#"{"type":"hello","protocol":1,"browser":"lynx"}"#, "invalidMessage"),
            (#"{"type":"hello","protocol":1,"browser":"../firefox"}"#, "invalidMessage"),
            (#"{"type":"page","title":"A"}"#, "invalidMessage"),
            (#"{"type":"page","url":["https://a.b"]}"#, "invalidMessage"),
            (#"{"type":"saved"}"#, "invalidMessage"), (#"{"type":"saved","id":-1}"#, "invalidMessage"),
            (#"{"type":"saved","id":1e99}"#, "invalidMessage"), (#"{"type":"saved","id":1.5}"#, "invalidMessage"),
            (#"{"type":"opened","id":1}"#, "invalidMessage"), (#"{"type":"look"}"#, "invalidMessage"),
            (#"{"type":"continue","id":1}"#, "invalidMessage"),
            (#"{"type":"continue","id":1,"entry":"3"}"#, "invalidMessage"),
        ]
    )
    func refusing(_ text: String, _ code: String) {
        let error = #expect(throws: BrowserError.self) { try BrowserMessage(Array(text.utf8)) }
        #expect(error?.code.description == code)
    }

    @Test(
        "A title that is not one, or has what is no character, costs itself and not the page",
        arguments: [
            (#""A \ud83d""#, "A \u{FFFD}"), (#""\ude00A\u0000B""#, "\u{FFFD}A B"), ("7", ""), (#"{"a":[]}"#, ""),
            ("null", ""),
        ]
    )
    func title(_ title: String, _ expected: String) throws {
        let text = #"{"type":"page","url":"https://example.org/a","focused":true,"title":\#(title)}"#
        let page = PublishedPage(url: "https://example.org/a", title: expected)
        #expect(try BrowserMessage(Array(text.utf8)) == .page(page, isFocused: true))
    }

    @Test("Bytes that are not UTF-8 cost themselves, and what says whether the page has the focus costs that")
    func damagedPage() throws {
        let start = Array(#"{"type":"page","url":"https://example.org/a","focused":"yes","title":"A"#.utf8)
        let message = try BrowserMessage(start + [0xC3] + Array(#"B"}"#.utf8))
        #expect(message == .page(PublishedPage(url: "https://example.org/a", title: "A\u{FFFD}B"), isFocused: false))
    }

    @Test(
        "A part of a state that cannot be used costs itself",
        arguments: [
            #""scroll":2"#, #""scroll":-0.1"#, #""scroll":"0.5""#, #""anchor":7"#, #""page":["p"]"#,
            #""page":"\#(String(repeating: "ä", count: 513))""#,
        ]
    )
    func damagedState(_ part: String) throws {
        let text = #"{"type":"saved","id":1,"url":"u","state":{"selection":"s \udc00",\#(part)}}"#
        let selection = PageState(["Selection": .string("s \u{FFFD}")])
        #expect(try BrowserMessage(Array(text.utf8)) == .saved(1, url: "u", selection))
    }

    @Test("Other encodings and deep nesting are refused")
    func hostile() {
        let deep = #"{"type":"noPage","a":"# + String(repeating: "[", count: 30_000)
        let inputs: [[UInt8]] = [
            [0xFF, 0xFE] + #"{"type":"noPage"}"#.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
            Array(#"{"type":"no"#.utf8) + [0xC3, 0x28] + Array(#"Page"}"#.utf8),
            Array(deep.utf8),
        ]
        for input in inputs {
            #expect(throws: BrowserError.self) { try BrowserMessage(input) }
        }
    }

    @Test("Damaged messages are read or refused, and nothing else")
    func damage() {
        var random = SeededRandom(seed: 61)
        let message = Array(#"{"type":"page","url":"https://example.org/a","title":"A","focused":true}"#.utf8)
        for _ in 0..<2000 {
            var damaged = message
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            _ = try? BrowserMessage(damaged)
        }
    }

    @Test(
        "Every message of the host has the keys that Docs/Browsers.md lists",
        arguments: [
            (.ready(version: "1"), ["type", "protocol", "version"]),
            (.status(unavailable: nil), ["type", "available"]),
            (.status(unavailable: "x"), ["type", "available", "message"]),
            (.save(1), ["type", "id"]), (.open(1, url: "https://a.b/", PageState()), ["type", "id", "url", "state"]),
            (.nearby([]), ["type", "entries"]),
            (.continued(1, failure: nil), ["type", "id", "continued"]),
            (.continued(1, failure: "x"), ["type", "id", "continued", "message"]),
            (.error(BrowserError(.invalidMessage, "x")), ["type", "code", "message"]),
        ] as [(HostMessage, Set<String>)]
    )
    func writing(_ message: HostMessage, _ keys: Set<String>) throws {
        let object = try JSONSerialization.jsonObject(with: Data(message.encoded)) as? [String: Any]
        #expect(Set(try #require(object).keys) == keys)
    }
}
