import HandoffModel
import TestLimits
import Testing

@Suite("A host has one spelling, and includes its sub-domains", .endsWithin(minutes: 10))
struct HostNameTests {
    /// What a host is to browsers: these are the answers of `new URL` in Node.js 20, but that an IPv4 address in IPv6 is that
    /// address here, and a dot at the end is left out.
    @Test(
        "Spellings of one host are equal, and equal to what a browser makes of them",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"), ("127.1", "127.0.0.1"),
            ("127.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f000001", "127.0.0.1"),
            ("0X7F000001", "127.0.0.1"), ("017700000001", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"),
            ("127.0.0.01", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("0x7F.0.0.0x1", "127.0.0.1"), ("0", "0.0.0.0"),
            ("0x", "0.0.0.0"), ("00", "0.0.0.0"), ("0.0.0.0", "0.0.0.0"), ("4294967295", "255.255.255.255"),
            ("0xffffffff", "255.255.255.255"), ("1.16777215", "1.255.255.255"), ("1.2.3", "1.2.0.3"),
            ("1.2.3.", "1.2.0.3"), ("example.0x7g", "example.0x7g"), ("1.2.3.4x", "1.2.3.4x"),
            ("1.1.1.1", "1.1.1.1"), ("0x1.0x2.0x3.0x4", "1.2.3.4"), ("192.168.257", "192.168.1.1"),
            ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[::0001]", "[::1]"),
            ("[0000:0000:0000:0000:0000:0000:0000:0001]", "[::1]"), ("[::ffff:127.0.0.1]", "127.0.0.1"),
            ("[::FFFF:7f00:1]", "127.0.0.1"), ("[0:0:0:0:0:ffff:127.0.0.1]", "127.0.0.1"),
            ("[::127.0.0.1]", "[::7f00:1]"), ("[::]", "[::]"), ("[1::]", "[1::]"),
            ("[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]"), ("[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"),
            ("[::2:3:4:5:6:7:8]", "[0:2:3:4:5:6:7:8]"), ("[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"),
            ("[1:0:0:2:0:0:3:4]", "[1::2:0:0:3:4]"), ("[2001:DB8::A]", "[2001:db8::a]"),
            ("[2001:db8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"), ("[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:102:304]"),
            ("[fe80::1]", "[fe80::1]"), ("[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]"), ("LOCALHOST", "localhost"),
            ("localhost.", "localhost"), ("LocalHost", "localhost"), ("a_b.example", "a_b.example"),
            ("-a.example", "-a.example"), ("a-.example", "a-.example"), ("a--b.example", "a--b.example"),
            ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
            ("XN--MNCHEN-3YA.example", "xn--mnchen-3ya.example"), ("münchen.example", "xn--mnchen-3ya.example"),
            ("MÜNCHEN.example", "xn--mnchen-3ya.example"), ("straße.example", "xn--strae-oqa.example"),
            ("strasse.example", "strasse.example"), ("βόλος.example", "xn--nxasmm1c.example"),
            ("ΒΌΛΟΣ.example", "xn--nxasmq6b.example"), ("βόλοσ.example", "xn--nxasmq6b.example"),
            ("ıstanbul.example", "xn--stanbul-qfb.example"), ("испытание.рф", "xn--80akhbyknj4f.xn--p1ai"),
            ("ИСПЫТАНИЕ.РФ", "xn--80akhbyknj4f.xn--p1ai"), ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
            ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"), ("ガ.example", "xn--mck.example"),
            ("한국.example", "xn--3e0b707e.example"), ("คน.ไทย", "xn--42c6b.xn--o3cw4h"),
            ("\u{639}\u{631}\u{628}\u{64A}.example", "xn--ngbrx4e.example"),
            ("\u{5E2}\u{5D1}\u{5E8}\u{5D9}\u{5EA}.example", "xn--5dbqzzl.example"),
            ("việt.example", "xn--vit-5kz.example"), ("é.example", "xn--9ca.example"),
            ("Å.example", "xn--5ca.example"), ("\u{661}\u{662}\u{663}.example", "xn--9hbcd.example"), ("a.", "a"),
            ("𐐀.example", "xn--hj8c.example"), ("Ω.example", "xn--bya.example"), ("𠀋.example", "xn--u50i.example"),
            ("\u{640}.example", "xn--chb.example"),
            ("\u{645}\u{62B}\u{627}\u{644}.\u{625}\u{62E}\u{62A}\u{628}\u{627}\u{631}", "xn--mgbh0fb.xn--kgbechtv"),
            ("\u{67A}.example", "xn--zib.example"), ("\u{212A}elvin.example", "kelvin.example"),
            ("\u{212B}.example", "xn--5ca.example"), ("\u{2126}.example", "xn--bya.example"),
            ("丽.example", "xn--viq.example"),
        ]
    )
    func spellings(_ text: String, _ name: String) throws {
        #expect(try HostName(text).description == name)
    }

    @Test("A host name is that of itself, so that a kept rule stays the same")
    func stable() throws {
        for text in ["127.1", "[::ffff:1.2.3.4]", "[1:0:0:2:0:0:0:3]", "MÜNCHEN.example", "Example.ORG.", "a_b.org"] {
            let host = try HostName(text)
            #expect(try HostName(host.description) == host)
        }
    }

    @Test(
        "A spelling that browsers map by a table, or take although no name system has it, is refused",
        arguments: [
            "127.0.0.1..", "\u{FF11}\u{FF12}\u{FF17}.0.0.1", "127\u{3002}0\u{3002}0\u{3002}1",
            "127\u{FF0E}0\u{FF0E}0\u{FF0E}1", "127\u{FF61}0\u{FF61}0\u{FF61}1", "\u{FF4C}ocalhost",
            "\u{24DB}ocalhost", "\u{1D425}ocalhost", "\u{2113}ocalhost", "\u{17F}tart.example", "\u{2163}.example",
            "\u{FB01}sh.example", "xn--localhost-", "mu\u{308}nchen.example", "STRAẞE.example", "İstanbul.example",
            "日本語\u{3002}jp", "\u{FF76}\u{FF9E}.example", "カ\u{3099}.example",
            "ह\u{93F}न\u{94D}द\u{940}.example", "vie\u{323}\u{302}t.example", "e\u{301}.example", "\u{1C6}.example",
            "\u{1C5}.example", "\u{1C4}.example", "\u{2B0}.example", "\u{B2}x.example", "x\u{B2}.example",
            "\u{FF11}\u{FF12}\u{FF13}.example", "ᏸ.example", "Ꮰ.example", "\u{2603}.example", "a\u{2603}.example",
            "\u{1F4A9}.example", "a\u{B7}b.example", "l\u{B7}l.example", "a,b.example", "a~b.example", "a!b.example",
            "a*b", "exa\u{AD}mple.org", "exa\u{200B}mple.org", "exa\u{2060}mple.org", "exam\u{FE0F}ple.org", "a..b",
            ".a", "\u{1D7CF}27.0.0.1", "\u{2460}.example", "\u{FF21}.example",
            "\u{FF45}\u{FF58}\u{FF41}\u{FF4D}\u{FF50}\u{FF4C}\u{FF45}.org", "example\u{FF0E}org",
            "example\u{FF61}org", "\u{32FF}.example", "\u{FB00}.example", "\u{140}.example", "ẞ.example",
            "ꭰ.example", "\u{345}a.example", "a\u{300}.example", "q\u{323}\u{307}.example", "\u{FBD6}.example",
            "न\u{947}प\u{93E}ल.भ\u{93E}रत", "a\u{93C}.example", "\u{1112}\u{1161}\u{11AB}.example",
            "\u{2F802}.example", "xn--", "a.b-\u{30FB}.example",
        ]
    )
    func unknown(_ text: String) {
        #expect(throws: ModelError.self) { try HostName(text) }
    }

    @Test(
        "What is no host to a browser is refused",
        arguments: [
            "1.2.3.4.5", "256.1.1.1", "1.256.1.1", "4294967296", "99999999999999999999", "0x100000000", "1.16777216",
            "08.1.1.1", "0x7g.0.0.1", "a.1", "a.0x1", "a.0x", "[::ffff:127.0.0.01]", "[1:2:3:4:5:6:7]",
            "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[12345::]", "[:1]", "[1:]", "[::g]", "[::1.2.3]", "[::1.2.3.4.5]",
            "[1:2:3:4:5:6:7:1.2.3.4]", "[1.2.3.4::]", "exa\u{200D}mple.org", "", "a b", "\u{FDFA}.example",
            "\u{300}a.example",
        ]
    )
    func invalid(_ text: String) {
        #expect(throws: ModelError.self) { try HostName(text) }
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
            ("org", "example.org", true), ("2.7", "192.0.2.7", false), ("192.0.2.7", "192.0.2.7", true),
            ("127.0.0.1", "127.1", true),
            ("[::ffff:127.0.0.1]", "0x7f000001", true), ("[::1]", "[0:0:0:0:0:0:0:1]", true), ("1", "0.0.0.1", true),
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
        #expect(try WebpageURL("https://user@\u{FF4C}ocalhost:80/x").host == nil)
    }

    @Test("A host is shown to people as the address has it")
    func text() throws {
        #expect(try WebpageURL("https://user@\u{FF4C}ocalhost:80/x").hostText == "\u{FF4C}ocalhost")
        #expect(try WebpageURL("http://[::1]:80").hostText == "[::1]")
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
