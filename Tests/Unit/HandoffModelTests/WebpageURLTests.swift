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
        ]
    )
    func isAccepted(address: String) throws {
        #expect(try WebpageURL(address).rawValue == address)
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
