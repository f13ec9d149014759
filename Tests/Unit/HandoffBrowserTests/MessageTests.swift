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
            (#"{"type":"page","url":"https://a.b","focused":"yes"}"#, "invalidMessage"),
            (#"{"type":"saved"}"#, "invalidMessage"), (#"{"type":"saved","id":-1}"#, "invalidMessage"),
            (#"{"type":"saved","id":1e99}"#, "invalidMessage"), (#"{"type":"saved","id":1.5}"#, "invalidMessage"),
            (#"{"type":"saved","id":1,"state":{"scroll":2}}"#, "invalidMessage"),
            (#"{"type":"saved","id":1,"state":{"scroll":-0.1}}"#, "invalidMessage"),
            (#"{"type":"saved","id":1,"state":{"anchor":7}}"#, "invalidMessage"),
            (#"{"type":"opened","id":1}"#, "invalidMessage"), (#"{"type":"look"}"#, "invalidMessage"),
            (#"{"type":"continue","id":1}"#, "invalidMessage"),
            (#"{"type":"continue","id":1,"entry":"3"}"#, "invalidMessage"),
        ]
    )
    func refusing(_ text: String, _ code: String) {
        let error = #expect(throws: BrowserError.self) { try BrowserMessage(Array(text.utf8)) }
        #expect(error?.code.description == code)
    }

    @Test("Text that is not UTF-8, other encodings, deep nesting and long texts of a state are refused")
    func hostile() {
        let long = String(repeating: "ä", count: 513)
        let deep = #"{"type":"noPage","a":"# + String(repeating: "[", count: 30_000)
        let inputs: [[UInt8]] = [
            [0xFF, 0xFE] + #"{"type":"noPage"}"#.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
            Array(#"{"type":"no"#.utf8) + [0xC3, 0x28] + Array(#"Page"}"#.utf8),
            Array(deep.utf8),
            Array(#"{"type":"saved","id":1,"state":{"page":"\#(long)"}}"#.utf8),
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
