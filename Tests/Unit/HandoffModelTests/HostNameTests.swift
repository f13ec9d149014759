import HandoffModel
import TestLimits
import Testing

@Suite("A host has one spelling, and includes its sub-domains", .endsWithin(minutes: 10))
struct HostNameTests {
    @Test(
        "Spellings of one host are equal",
        arguments: [
            ("Example.ORG", "example.org"), ("example.org.", "example.org"), ("localhost", "localhost"),
            ("192.0.2.7", "192.0.2.7"), ("[2001:DB8::1]", "[2001:db8::1]"), ("a_b.example", "a_b.example"),
            // Labels of RFC 3492, section 7.1 and of registries.
            ("bücher.example", "xn--bcher-kva.example"), ("MÜNCHEN.de", "xn--mnchen-3ya.de"),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"), ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
            ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"), ("испытание.рф", "xn--80akhbyknj4f.xn--p1ai"),
        ]
    )
    func spellings(_ text: String, _ name: String) throws {
        #expect(try HostName(text).description == name)
    }

    @Test(
        "Text that is no host is refused",
        arguments: [
            "", ".", "..", "a..b", "https://example.org", "example.org/path", "example.org:80", "a b", "a@b", "[::1",
            "[example]", "a%20b", String(repeating: "a", count: 64), "\u{1B}.org",
            Array(repeating: "abcdefgh", count: 30).joined(separator: "."), String(repeating: "ü", count: 64),
        ]
    )
    func refusals(_ text: String) {
        let error = #expect(throws: ModelError.self) { try HostName(text) }
        #expect(error?.code == .invalidIdentifier)
    }

    @Test(
        "A host includes itself and its sub-domains, an address only itself",
        arguments: [
            ("example.org", "example.org", true), ("example.org", "www.example.org", true),
            ("example.org", "a.b.example.org", true), ("example.org", "notexample.org", false),
            ("example.org", "example.org.evil.net", false), ("www.example.org", "example.org", false),
            ("org", "example.org", true), ("0.2.7", "192.0.2.7", false), ("192.0.2.7", "192.0.2.7", true),
            ("münchen.de", "WWW.xn--mnchen-3ya.de", true),
        ]
    )
    func domains(_ site: String, _ host: String, _ isIncluded: Bool) throws {
        #expect(try HostName(site).includes(HostName(host)) == isIncluded)
    }

    @Test(
        "The host of a page is found in every form of its address",
        arguments: [
            ("https://example.org", "example.org"), ("HTTP://Example.Org/a/b?c#d", "example.org"),
            ("https://user:secret@example.org:8080/x", "example.org"),
            ("https://example.org?q=@other.net", "example.org"),
            ("https://ex%61mple.org/", "example.org"), ("https://[2001:db8::1]:443/", "[2001:db8::1]"),
            ("https://bücher.example/ä", "xn--bcher-kva.example"), ("https://example.org\\@other.net/", "example.org"),
            ("https://example.org.:443#/", "example.org"),
        ]
    )
    func pages(_ url: String, _ host: String) throws {
        #expect(try WebpageURL(url).host?.description == host)
    }

    @Test("A page on a host that no name system has has no host name")
    func noHost() throws {
        #expect(try WebpageURL("https://a,b/").host == nil)
        #expect(try WebpageURL("https://%FF/").host == nil)
    }

    @Test(
        "The id of an app is the name of a file",
        arguments: ["", "a/b", "a b", "a\n", String(repeating: "a", count: 256)]
    )
    func apps(_ text: String) throws {
        let error = #expect(throws: ModelError.self) { try DesktopFileID(text) }
        #expect(error?.code == .invalidIdentifier)
        #expect(try DesktopFileID("org.example.Editor").description == "org.example.Editor")
    }
}
