import Testing
import TestLimits

@testable import HandoffDesktop

@Suite("Displays, their authority files, and messages of X servers", .endsWithin(minutes: 10))
struct X11Tests {
    @Test(
        "Displays of this computer are known by their names",
        arguments: [
            (":0", "0"), (":17.1", "17"), ("unix:3", "3"), ("", nil), (":", nil), ("host:0", nil), (":0.", nil),
            (":0.0.0", nil), (":-1", nil), (":+1", nil), (":70000", nil), ("localhost:10.0", nil), ("/tmp/x:0", nil),
        ] as [(String, String?)]
    )
    func names(_ name: String, _ number: String?) {
        // A number may be followed by nothing but that of a screen.
        #expect(X11Display(name)?.number == number)
    }

    private static func entry(_ family: UInt16, _ display: String, _ method: String, _ cookie: [UInt8]) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
        return [Array("host".utf8), Array(display.utf8), Array(method.utf8), cookie].reduce(number(Int(family))) {
            $0 + number($1.count) + $1
        }
    }

    @Test("The cookie of a display is found among those of other computers, displays and methods")
    func cookies() throws {
        let cookie = X11Authority.method
        let file =
            Self.entry(0, "0", cookie, [1]) + Self.entry(256, "1", cookie, [2]) + Self.entry(256, "0", "OTHER", [3])
            + Self.entry(256, "0", cookie, [4]) + Self.entry(65535, "", cookie, [5])
        let authority = X11Authority(file)
        #expect(authority.cookies(for: try #require(X11Display(":0"))) == [[4], [5]])
        #expect(authority.cookies(for: try #require(X11Display(":1"))) == [[2], [5]])
        #expect(authority.cookies(for: try #require(X11Display(":7"))) == [[5]])
        for count in 0..<file.count { _ = X11Authority(Array(file.prefix(count))) }
        #expect(X11Authority(path: "/nowhere").cookies(for: try #require(X11Display(":0"))).isEmpty)
    }

    @Test("Of many cookies of earlier servers, each is tried once, and not without an end")
    func earlierServers() throws {
        let cookies = [1, 1] + Array(1...20) as [UInt8]
        let authority = X11Authority(cookies.flatMap { Self.entry(256, "0", X11Authority.method, [$0]) })
        #expect(authority.cookies(for: try #require(X11Display(":0"))) == (1...8).map { [$0] })
    }

    @Test("A request has its length in words, and data are filled up to whole ones")
    func requests() {
        var request = X11Request(16, 1)
        request.append(UInt16(5))
        request.append(UInt16(0))
        request.append(Array("hello".utf8))
        #expect(request.encoded == [16, 1, 4, 0, 5, 0, 0, 0] + Array("hello".utf8) + [0, 0, 0])
        let setUp = X11Request.setUp([9, 8])
        #expect(setUp.prefix(12) == [0x6C, 0, 11, 0, 0, 0, 18, 0, 2, 0, 0, 0])
        #expect(setUp.count == 12 + 20 + 4 && X11Request.setUp(nil).count == 12)
    }

    @Test("A message has 32 bytes, and a reply as many more as it says; what is beyond its end reads as 0")
    func messages() {
        var head: [UInt8] = [1, 0, 7, 1, 2] + Array(repeating: 0, count: 27)
        #expect(X11Message.length(of: head) == 40 && X11Message(bytes: head).sequence == 0x107)
        head[0] = X11Message.propertyNotify
        #expect(X11Message.length(of: head) == 32)
        #expect(X11Message(bytes: head).uint32(at: 31) == 0 && X11Message(bytes: []).uint16(at: 2) == 0)
    }
}
