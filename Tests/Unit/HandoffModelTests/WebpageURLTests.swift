import HandoffModel
import TestLimits
import Testing

@Suite("Web page addresses", .endsWithin(minutes: 10))
struct WebpageURLTests {
    @Test(
        "An http or https address with a host is accepted unchanged",
        arguments: [
            "http://example.org", "https://example.org/a?b#c", "HTTPS://example.org",
            "hTTp://user:pass@example.org:80/",
            "https://[2001:db8::1]:8443/x", "http://localhost", "https://exämple.org/ü",
            "http://example.org:", "http://example.org:65535/", "http://a%20b/", "http://:x@example.org/",
            "https://fa.example/می\u{200C}خواهم", "https://example.org/a|b{c}`\\%", "http://[::ffff:192.0.2.1]",
            "http://example.org\\@b/", "http://日本.example",
        ]
    )
    func isAccepted(address: String) throws {
        #expect(try WebpageURL(address).rawValue == address)
    }

    @Test(
        "For a command, the characters that no URL may have are escaped, and a backslash of the path is a slash",
        arguments: [
            ("https://example.org/a|b{c}`\\%41", "https://example.org/a%7Cb%7Bc%7D%60/%41"),
            ("http://example.org\\@b/?\"<\\>#^", "http://example.org/@b/?%22%3C%5C%3E#%5E"),
            ("https://exämple.org/ü?a=$(b)&c='d';e", "https://exämple.org/ü?a=$(b)&c='d';e"),
            ("http://[2001:db8::1]:8443", "http://[2001:db8::1]:8443"),
        ]
    )
    func isEscaped(address: String, escaped: String) throws {
        #expect(try WebpageURL(address).escaped == escaped)
        #expect(try WebpageURL(WebpageURL(address).escaped).escaped == escaped)
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", "ftp://example.org", "file:///etc/passwd", "javascript:alert(1)", "http:", "http:/example.org",
            "https://",
            "https:///path", "http://?q", "http://#f", "http://:80/", "http://user@", "http://user@/path", "http://[]/",
            "http://[::1", "http://\\example.org", " http://example.org", "http://example.org/a b",
            "http://exa\nmple.org",
            "http://example.org/\u{0}", "http://example.org/\u{7F}", "http://example.org/\u{2028}", "example.org",
            "http://[x]/", "http://[1.2]/", "http://[::1]x/", "http://[::1]:x/", "http://example.org:99999/",
            "http://example.org:8o/", "http://a:1:2/", "http://a%2/", "http://a%zz/", "http://a@b@c/", "http://a<b/",
            "http://a\u{200D}b/", "http://example.org/\u{202E}gpj", "http://example.org/\u{200B}",
            "http://example.org/\u{E000}", "http://example.org/\u{A0}",
            "httpss://example.org", "https://" + String(repeating: "a", count: 2041),
        ]
    )
    func isRefused(address: String) {
        let error = #expect(throws: ModelError.self) { try WebpageURL(address) }
        #expect(error?.code == .invalidWebpageURL)
    }

    @Test("The longest address has 2048 bytes")
    func longest() throws {
        #expect(try WebpageURL("https://" + String(repeating: "a", count: 2040)).rawValue.utf8.count == 2048)
    }
}
