import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Vectors of web page addresses", .endsWithin(minutes: 10))
struct AddressVectorTests {
    /// An address, and whether an activity may have it.
    struct Case: Codable, Equatable, Sendable {
        let address: String
        let isValid: Bool
    }

    private static let accepted = [
        "http://example.org", "HTTPS://example.org/a?b#c", "hTTp://user:pass@example.org:80/",
        "http://a:b:c@example.org/",
        "http://:x@example.org/", "http://@example.org/", "http://a-._~!$&'()*+,;=b/", "http://a%20b%Fa/",
        "http://exämple.org/ü",
        "http://日本.example", "http://[2001:db8::1]:8443/x", "http://[::ffff:192.0.2.1]", "http://[::]",
        "http://example.org:",
        "http://example.org:65535", "http://example.org:00080/", "http://example.org?q", "http://example.org#f",
        "http://example.org\\@b/", "http://example.org/a|b{c}`\\%\"<>^", "http://example.org/a//b?c?d#e#f",
        "http://example.org/می\u{200C}خواهم\u{200D}", "https://" + String(repeating: "a", count: 2040),
    ]

    private static let refused = [
        "", "example.org", "ftp://example.org", "file:///etc/passwd", "httpss://example.org", "xhttp://example.org",
        "http:", "http:/example.org", "http://", "http:///path", "http://?q", "http://#f", "http://\\example.org",
        "http://:80/", "http://user@/path", "http://a@b@c/", "http://a<b@example.org/", "http://a<b/", "http://a b/",
        "http://a%2/", "http://a%zz/", "http://a%", "http://a[b/", "http://[]/", "http://[::1", "http://[::1]x/",
        "http://[::g]/", "http://[1:2]/", "http://[1.2.3.4]/", "http://[::1]:x/", "http://example.org:65536/",
        "http://example.org:8o/", "http://example.org:٨/", "http://example.org:1:2/", " http://example.org",
        "http://example.org ", "http://example.org/a b", "http://example.org/\u{7F}", "http://example.org/\u{1F}",
        "http://example.org/\u{0}", "http://example.org/\u{85}", "http://example.org/\u{A0}",
        "http://example.org/\u{2028}",
        "http://example.org/\u{202E}gpj", "http://example.org/\u{200B}", "http://example.org/\u{E000}",
        "http://a\u{200D}b/",
        "http://a\u{A0}b/", "http://a\u{AD}b/", "https://" + String(repeating: "a", count: 2041),
    ]

    @Test("The published vectors are what this code makes of them")
    func published() throws {
        let file = VectorFile(
            about: "Addresses (Docs/Protocol.md, \"Web page addresses\"), and whether the grammar there derives them.",
            cases: (Self.accepted + Self.refused).map { Case(address: $0, isValid: (try? WebpageURL($0)) != nil) }
        )
        try file.storeIfAsked("addresses")
        #expect(try VectorFile<Case>.load("addresses") == file)
        #expect(file.cases.filter(\.isValid).map(\.address) == Self.accepted)
    }
}
