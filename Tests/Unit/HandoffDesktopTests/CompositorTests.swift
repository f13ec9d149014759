import Epoll
import Glibc
import SystemPackage
import Testing
import TestLimits

@testable import HandoffDesktop

@Suite("What compositors tell about the window with the focus", .endsWithin(minutes: 10))
struct CompositorTests {
    // MARK: sway

    @Test(
        "An event of sway tells which process has the focus, or nothing about it",
        arguments: [
            (#"{"change":"focus","container":{"id":5,"name":"a","pid":4711,"nodes":[]}}"#, .process(4711)),
            (#"{"container":{"nodes":[{"pid":1234}],"pid":4711},"change":"focus"}"#, .process(4711)),
            // A container of several windows.
            (#"{"change":"focus","container":{"id":5,"nodes":[{"pid":4711,"focused":false}]}}"#, .nothing),
            (#"{"change":"focus","container":{"pid":0}}"#, .unknown),
            (#"{"change":"focus","container":{"pid":-1}}"#, .unknown),
            (#"{"change":"focus","container":{"pid":1}}"#, .unknown),
            (#"{"change":"focus","container":{"pid":99999999999999999999}}"#, .nothing),
            (#"{"change":"focus","container":{"pid":4294967296}}"#, .unknown),
            (#"{"change":"focus","container":null}"#, .unknown),
            (#"{"change":"title","container":{"pid":4711}}"#, nil),
            (#"{"change":"close","container":{"pid":4711}}"#, nil),
            (#"{}"#, nil),
            (#"{"change":"focus","container":{"name":"\"pid\":17","pid":4711}}"#, .process(4711)),
            (#"{"change":"focus","container":{"name":"\\","pid":4711}}"#, .process(4711)),
            (#"{"change":"focus","container":{"pid":4711"#, .unknown),
            ("", .unknown), ("[]", .unknown), ("nonsense", .unknown), (#"{"change":"fo"#, .unknown),
        ] as [(String, FocusReport?)]
    )
    func event(_ text: String, _ report: FocusReport?) {
        #expect(SwayMessage(.window, text).changedFocus == report)
    }

    @Test("A title that is no text of Unicode changes nothing")
    func brokenTitle() {
        let text =
            Array(#"{"change":"focus","container":{"name":""#.utf8) + [0xFF, 0xC3] + Array(#"","pid":4711}}"#.utf8)
        #expect(SwayMessage(.window, text).changedFocus == .process(4711))
    }

    @Test(
        "The tree of sway tells which window has the focus, wherever it is",
        arguments: [
            (
                #"{"focused":false,"nodes":[{"pid":3,"focused":false},{"nodes":[{"pid":4711,"focused":true}]}]}"#,
                .process(4711)
            ),
            (#"{"nodes":[{"floating_nodes":[{"focused":true,"pid":4711}],"nodes":[]}]}"#, .process(4711)),
            // An empty workspace has it.
            (#"{"nodes":[{"type":"workspace","focused":true,"nodes":[]},{"pid":4711,"focused":false}]}"#, .nothing),
            (#"{"nodes":[{"pid":4711,"focused":false}]}"#, .nothing),
            (#"{"nodes":null,"focused":false}"#, .nothing),
            (#"{"nodes":[{"pid":4711,"focused":true}"#, .unknown), ("", .unknown),
        ] as [(String, FocusReport)]
    )
    func tree(_ text: String, _ report: FocusReport) {
        #expect(SwayMessage(.getTree, text).focusInTree == report)
    }

    @Test("Windows in many containers are found, and what nests without an end is refused")
    func nesting() {
        func tree(_ depth: Int) -> String {
            let start = String(repeating: #"{"nodes":["#, count: depth)
            return start + #"{"pid":4711,"focused":true}"# + String(repeating: "]}", count: depth)
        }
        #expect(SwayMessage(.getTree, tree(60)).focusInTree == .process(4711))
        #expect(SwayMessage(.getTree, tree(70)).focusInTree == .unknown)
        #expect(SwayMessage(.getTree, String(repeating: "[", count: 1_000_000)).focusInTree == .unknown)
        #expect(SwayMessage(.window, String(repeating: #"{"a":"#, count: 1_000_000)).changedFocus == .unknown)
    }

    @Test("Anything cut short is unknown or says nothing, and never crashes")
    func cut() {
        let text = Array(#"{"change":"focus","container":{"a":[1,-2.5e7,true,null,"\u00e4\""],"pid":4711}}"#.utf8)
        for count in 0..<text.count {
            #expect(SwayMessage(.window, Array(text.prefix(count))).changedFocus == .unknown)
        }
        #expect(SwayMessage(.window, text).changedFocus == .process(4711))
    }

    @Test("Messages of sway are read one by one; one that is too long is passed over, and what is none is refused")
    func messages() async throws {
        try await Self.withStream { near, far in
            let connection = CompositorStream(near)
            async let write: Void = {
                try await far.write(SwayMessage(.window, "one").encoded)
                var head = SwayMessage(.window).encoded
                let length = (5 << 20) as UInt32
                withUnsafeBytes(of: length) { head.replaceSubrange(6..<10, with: $0) }
                try await far.write(head)
                for _ in 0..<5 { try await far.write([UInt8](repeating: 0x20, count: 1 << 20)) }
                try await far.write(SwayMessage(.getTree, "two").encoded + Array("i3-ipx\0\0\0\0\0\0\0\0".utf8))
            }()
            #expect(try await SwayMessage.next(on: connection) == SwayMessage(.window, "one"))
            #expect(try await SwayMessage.next(on: connection) == SwayMessage(.window, nil))
            #expect(SwayMessage(.window, nil).changedFocus == .unknown)
            #expect(try await SwayMessage.next(on: connection) == SwayMessage(.getTree, "two"))
            await #expect(throws: DisplayError.self) { try await SwayMessage.next(on: connection) }
            try await write
        }
    }

    private static func withStream(_ body: (_ near: LocalStream, _ far: LocalStream) async throws -> Void) async throws
    {
        try await Reactor.withReactor { reactor in
            var sockets: [CInt] = [0, 0]
            try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0)
            let near = try LocalStream(taking: sockets[0], on: reactor)
            let far = try LocalStream(taking: sockets[1], on: reactor)
            try await body(near, far)
        }
    }
}
