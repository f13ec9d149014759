import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Only usual addresses of a claimed domain open an app", .endsWithin(minutes: 10))
struct SiteHostTests {
    @Test(
        "A host of usual form is taken as it is",
        arguments: [
            "example.org", "a.b", "www.example.co.uk", "xn--bcher-kva.example", "a-b.example", "a--b.example",
            "1.example",
            "e.xn--p1ai", String(repeating: "a", count: 63) + ".org",
        ]
    )
    func host(text: String) throws {
        #expect(try SiteHost(text).description == text)
        #expect(try WebpageURL("https://\(text)/").siteHost?.description == text)
    }

    @Test(
        "A host of any other form is refused",
        arguments: [
            "", "org", "localhost", ".org", "example.org.", "example..org", "Example.org", "-a.org", "a-.org",
            "a_b.org",
            "b\u{fc}cher.example", "\u{ff45}xample.org", "127.0.0.1", "1.2.3.4.5", "a.0x7f", "a.1", "[::1]",
            "ab--c.org",
            "xn--.org", "example.org:443", "user@example.org", "ex%61mple.org", "example.org/", "*.example.org",
            "a b.org",
            String(repeating: "a", count: 64) + ".org", String(repeating: "a.", count: 126) + "aaa",
            "exam\u{212a}ple.org", "example.org\u{0}",
        ]
    )
    func refusedHost(text: String) {
        #expect(throws: ModelError.self) { try SiteHost(text) }
    }

    struct Page: CustomTestStringConvertible, Sendable {
        let address: String
        /// Nil when the page opens no app.
        let host: String?

        init(_ address: String, _ host: String?) {
            self.address = address
            self.host = host
        }

        var testDescription: String { address }
    }

    @Test(
        "The host of a page is found in a usual address, and in no other",
        arguments: [
            Page("https://example.org", "example.org"), Page("http://example.org/a?b#c", "example.org"),
            Page("HTTPS://EXAMPLE.ORG/A", "example.org"), Page("https://example.org./", "example.org"),
            Page("https://example.org:443/", "example.org"), Page("http://example.org:80", "example.org"),
            Page("https://example.org?q=http://evil.example/", "example.org"),
            Page("https://example.org#@evil.example", "example.org"),
            Page("https://xn--bcher-kva.example/\u{fc}", "xn--bcher-kva.example"),
            Page("https://example.org/a:b@c", "example.org"),
            Page("http://example.org:443/", nil), Page("https://example.org:80/", nil),
            Page("https://example.org:8443/", nil), Page("https://example.org:/", nil),
            Page("https://example.org:0443/", nil), Page("https://user@example.org/", nil),
            Page("https://user:secret@example.org/", nil), Page("https://@example.org/", nil),
            Page("https://evil.example\\@example.org/", nil), Page("https://example.org\\.evil.example/", nil),
            Page("https://example.org/a\\b", nil), Page("https://ex%61mple.org/", nil),
            Page("https://example%2eorg/", nil), Page("https://b\u{fc}cher.example/", nil),
            Page("https://example\u{3002}org/", nil), Page("https://\u{ff45}xample.org/", nil),
            Page("https://example.org../", nil), Page("https://127.0.0.1/", nil), Page("https://2130706433/", nil),
            Page("https://a.0x7f/", nil), Page("https://[2001:db8::1]/", nil), Page("https://localhost/", nil),
            Page("https://ex_ample.org/", nil), Page("https://-example.org/", nil),
        ]
    )
    func page(_ page: Page) throws {
        #expect(try WebpageURL(page.address).siteHost?.description == page.host)
    }

    struct Domain: CustomTestStringConvertible, Sendable {
        let domain: String
        let host: String
        let isIncluded: Bool

        init(_ domain: String, _ host: String, _ isIncluded: Bool) {
            self.domain = domain
            self.host = host
            self.isIncluded = isIncluded
        }

        var testDescription: String { "\(domain) and \(host)" }
    }

    @Test(
        "A domain is one host, and a wildcard all hosts below it but not the host itself",
        arguments: [
            Domain("example.org", "example.org", true), Domain("example.org", "www.example.org", false),
            Domain("example.org", "example.com", false), Domain("www.example.org", "example.org", false),
            Domain("*.example.org", "www.example.org", true), Domain("*.example.org", "a.b.example.org", true),
            Domain("*.example.org", "example.org", false), Domain("*.example.org", "evilexample.org", false),
            Domain("*.example.org", "example.org.evil.example", false),
            Domain("*.b.example.org", "b.example.org", false),
            Domain("*.b.example.org", "a.b.example.org", true), Domain("*.b.example.org", "ab.example.org", false),
        ]
    )
    func domain(_ pair: Domain) throws {
        #expect(try AssociatedDomain(pair.domain).includes(SiteHost(pair.host)) == pair.isIncluded)
    }

    @Test("Of the domains that include a host, the host itself comes first, then the longer wildcard")
    func rank() throws {
        let domains = try ["a.b.example.org", "*.b.example.org", "*.example.org"].map { try AssociatedDomain($0) }
        #expect(domains.allSatisfy { (try? SiteHost("a.b.example.org")).map($0.includes) == true })
        #expect(domains.map(\.rank) == domains.map(\.rank).sorted(by: >))
        #expect(Set(domains.map(\.rank)).count == 3)
    }

    @Test("An element of a desktop file names the service and a domain; other services are not ours")
    func element() throws {
        #expect(try AssociatedDomain(element: "activitycontinuation:example.org")?.description == "example.org")
        let wildcard = try #require(try AssociatedDomain(element: "activitycontinuation:*.example.org"))
        #expect(wildcard.isWildcard && wildcard.host.description == "example.org")
        #expect(try AssociatedDomain(element: "applinks:example.org") == nil)
        for text in [
            "example.org", "activitycontinuation:", "activitycontinuation:*", "activitycontinuation:*.org",
            "activitycontinuation:a.*.org", "activitycontinuation:*example.org", "activitycontinuation:**.example.org",
            "activitycontinuation:example.org:443", "activitycontinuation:https://example.org",
            "activitycontinuation:example.org?mode=developer", "activitycontinuation: example.org",
        ] {
            #expect(throws: ModelError.self, "\(text)") { try AssociatedDomain(element: text) }
        }
    }

    @Test("An application identifier stands for one team and one file name")
    func identifier() throws {
        #expect(try ApplicationIdentifier(team: "T1", app: "org.example.Editor").description == "T1.org.example.Editor")
        for (team, app) in [
            ("", "a.b"), ("ORG.example", "a.b"), ("T\u{e9}", "a.b"), ("T", ""), ("T", "a/b"), ("T", "\u{212a}"),
        ] {
            #expect(throws: ModelError.self, "\(team) \(app)") { try ApplicationIdentifier(team: team, app: app) }
        }
    }

    @Test(
        "Whatever surrounds a claimed host in an address, the page opens the app only where a resolver finds that host"
    )
    func addresses() throws {
        var random = SeededRandom(seed: 1601)
        let parts = [
            "example.org", "evil.example", "@", ":", "/", "\\", "?", "#", ".", "%2e", "%40", "443", "a", "\u{3002}",
        ]
        let claim = try AssociatedDomain("example.org")
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 1...6, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }
            guard let page = try? WebpageURL("https://" + text.joined()), let host = page.siteHost else { continue }
            // HostName reads addresses as leniently as browsers do: both have to find the same host.
            #expect(page.host?.description == host.description, "\(page)")
            if claim.includes(host) {
                let rest = page.rawValue.dropFirst("https://example.org".count).drop { $0 == "." }
                #expect(page.rawValue.hasPrefix("https://example.org"), "\(page)")
                #expect(rest.isEmpty || "/?#:".contains(rest.first ?? "x"), "\(page)")
            }
        }
    }
}
