@testable import Epoll
import Glibc
import SystemPackage
import Testing
import TestLimits

@Suite("Connections to sockets of this computer", .endsWithin(minutes: 10))
struct LocalConnectionTests {
    /// A socket that listens at a path of its own, and accepts nothing.
    private final class Listener {
        let path = FilePath("/tmp/handoff-listener-\(getpid())-\(UInt32.random(in: .min ... .max))")
        let descriptor: CInt

        init(backlog: CInt) throws {
            descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.string.utf8) }
            let bound = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0 && listen(descriptor, backlog) == 0)
        }

        deinit {
            close(descriptor)
            unlink(path.string)
        }
    }

    @Test("A server that accepts no connection does not keep anybody waiting")
    func stopped() throws {
        let listener = try Listener(backlog: 0)
        var connected: [CInt] = []
        defer { for socket in connected { close(socket) } }
        #expect(throws: Errno.wouldBlock) {
            // Each stays open, and so waits for the server.
            for _ in 0..<8 { connected.append(try LocalConnection(to: listener.path).duplicate()) }
        }
        #expect(!connected.isEmpty)
    }

    @Test("The server's process and user are known before anything is said, and bytes go both ways")
    func server() async throws {
        let listener = try Listener(backlog: 8)
        try await Reactor.withReactor { reactor in
            let connection = try LocalConnection(to: listener.path)
            let server = try connection.server
            #expect(server == LocalConnection.Server(process: UInt32(getpid()), user: geteuid()))
            let near = try connection.stream(on: reactor)
            let far = try LocalStream(taking: accept(listener.descriptor, nil, nil), on: reactor)
            try await near.write(Array("ask".utf8))
            #expect(try await far.read(atMost: 100) == Array("ask".utf8))
            try await far.write(Array("answer".utf8))
            far.close()
            #expect(try await near.read(atMost: 100) == Array("answer".utf8))
            #expect(try await near.read(atMost: 100) == [])
        }
    }

    @Test("A path where nobody listens, or that no socket can have, is an error")
    func absent() throws {
        #expect(throws: Errno.noSuchFileOrDirectory) { _ = try LocalConnection(to: "/nowhere") }
        #expect(throws: Errno.connectionRefused) { _ = try LocalConnection(to: "/dev/null") }
        let long = FilePath("/tmp/" + String(repeating: "x", count: 200))
        #expect(throws: Errno.fileNameTooLong) { _ = try LocalConnection(to: long) }
    }
}

extension LocalConnection {
    /// A descriptor of the same connection, for the caller to close.
    fileprivate func duplicate() throws(Errno) -> CInt { try systemCall { dup(descriptor.rawValue) } }
}
