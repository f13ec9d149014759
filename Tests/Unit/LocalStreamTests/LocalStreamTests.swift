import Epoll
import Glibc
import SystemPackage
import TestLimits
import Testing

@testable import LocalStream

@Suite("Local streams", .endsWithin(minutes: 10))
struct LocalStreamTests {
    @Test("A stream transfers bytes both ways, and one direction can end while the other continues")
    func halfClose() async throws {
        try await Pair.with { near, far in
            try await near.write(Array("ask".utf8))
            try near.finishWriting()
            #expect(try await far.read(atMost: 65_536) == Array("ask".utf8))
            #expect(try await far.read(atMost: 65_536) == [])
            try await far.write(Array("answer".utf8))
            #expect(try await near.read(atMost: 100) == Array("answer".utf8))
            far.close()
            #expect(try await near.read(atMost: 100) == [])
        }
    }

    @Test("A stream that is closed delivers what was written before, and then the end")
    func close() async throws {
        try await Pair.with { near, far in
            try await near.write([1, 2, 3])
            near.close()
            #expect(try await far.read(atMost: 65_536) == [1, 2, 3])
            #expect(try await far.read(atMost: 65_536) == [])
        }
    }

    @Test("A stream that is reset ends with an error at the other end, even if nothing was written")
    func reset() async throws {
        try await Pair.with { near, far in
            near.reset()
            await #expect(throws: Errno.connectionReset) { try await far.read(atMost: 65_536) }
        }
    }

    @Test(
        "A stream whose process exits without closing it ends with an error at the other end"
    )
    func death() async throws {
        try await Reactor.withReactor { reactor in
            let far = try await { () async throws in
                let pair = try await LocalStreamPair.connected(on: reactor)
                return try pair.duplicateFar()
            }()
            let stream = try LocalStream(taking: far, on: reactor)
            await #expect(throws: Errno.connectionReset) { try await stream.read(atMost: 65_536) }
        }
    }

    @Test("Writing to a stream whose other end is closed is an error")
    func gone() async throws {
        try await Pair.with { near, far in
            far.close()
            await #expect(throws: Errno.self) {
                while true { try await near.write([UInt8](repeating: 7, count: 65_536)) }
            }
        }
    }

    @Test("The writer waits while the other end does not read, and nothing is lost")
    func backPressure() async throws {
        let sent = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try await Pair.with { near, far in
            async let writing: Void = near.write(sent)
            var received: [UInt8] = []
            while received.count < sent.count { received += try await far.read(atMost: 65_536) }
            try await writing
            #expect(received == sent)
        }
    }

    @Test("A read ends when its task is cancelled")
    func cancelled() async throws {
        try await Pair.with { near, _ in
            let outcome = await withTaskGroup(of: Errno?.self) { group in
                group.addTask {
                    do throws(Errno) {
                        _ = try await near.read(atMost: 1)
                        return nil
                    } catch {
                        return error
                    }
                }
                group.cancelAll()
                return await group.next() ?? nil
            }
            #expect(outcome == .canceled)
        }
    }
}

extension LocalStreamTests {
    @Test("Two connections from one port of two addresses of the loopback interface are told apart")
    func addresses() throws {
        let listening = try LocalStreamSystemCalls.socket(bufferBytes: 4096)
        let port = try LocalStreamSystemCalls.listen(listening.rawValue)
        let own = try LocalStreamSystemCalls.socket(bufferBytes: 4096)
        try LocalStreamSystemCalls.beginConnect(own.rawValue, to: port)
        let ownAddress = try LocalStreamSystemCalls.localAddress(own.rawValue)
        // Another user's socket, with the same port of 127.0.0.2.
        let foreign = try LocalStreamSystemCalls.socket(bufferBytes: 4096)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = ownAddress.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0002).bigEndian
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(foreign.rawValue, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(bound == 0)
        try LocalStreamSystemCalls.beginConnect(foreign.rawValue, to: port)
        let accepted = try (0..<2).map { _ in
            let number = try LocalStreamSystemCalls.accept(listening.rawValue)
            defer { Glibc.close(number) }
            return try LocalStreamSystemCalls.peerAddress(number)
        }
        #expect(Set(accepted.map(\.port)) == [ownAddress.port])
        #expect(accepted.count { $0 == ownAddress } == 1)
    }
}

/// The two ends of a stream: the near one in the form that the daemon has, the far one in that of an app.
private enum Pair {
    static func with(_ body: (LocalStream, LocalStream) async throws -> Void) async throws {
        try await Reactor.withReactor { reactor in
            let pair = try await LocalStreamPair.connected(on: reactor)
            // The far end gets a number of its own, as the bus gives the app one, and waits on the reactor: a blocking
            // read would hold one of the few threads that all tests share.
            let far = try pair.duplicateFar()
            let flags = try systemCall { fcntl(far, F_GETFL) }
            #expect(flags & O_NONBLOCK == 0, "an app gets a blocking descriptor")
            try await body(pair.takeNear(), LocalStream(taking: far, on: reactor))
        }
    }
}
