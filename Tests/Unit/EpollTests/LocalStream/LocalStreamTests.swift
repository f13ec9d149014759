@testable import Epoll
import Glibc
import Synchronization
import SystemPackage
import Testing
import TestLimits

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

    @Test("A connection of another program that is reset before it is accepted prevents no stream")
    func strangerReset() async throws {
        try await Reactor.withReactor { reactor in
            let listening = try LocalStreamSystemCalls.socket(bufferBytes: 4096)
            let port = try LocalStreamSystemCalls.listen(listening.rawValue)
            do {
                let stranger = try LocalStreamSystemCalls.socket(bufferBytes: 4096)
                try LocalStreamSystemCalls.beginConnect(stranger.rawValue, to: port)
                try LocalStreamSystemCalls.setResetsOnClose(true, on: stranger.rawValue)
            }
            let far = try LocalStreamSystemCalls.socket(bufferBytes: 4096)
            try LocalStreamSystemCalls.beginConnect(far.rawValue, to: port)
            let address = try LocalStreamSystemCalls.localAddress(far.rawValue)
            let listener = try ReactorDescriptor(listening, on: reactor)
            let near = try await LocalStreamPair.accept(on: listener, from: address, reactor)
            near.close()
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

    @Test("An end that is passed on ends with an error when its process dies, also after it has written")
    func farDeath() async throws {
        try await Reactor.withReactor { reactor in
            let near = try await Self.leftAlone(on: reactor) { number in
                #expect(Glibc.write(number, [1, 2] as [UInt8], 2) == 2)
            }
            #expect(try await near.read(atMost: 65_536) == [1, 2])
            await #expect(throws: Errno.connectionReset) { try await near.read(atMost: 65_536) }
        }
    }

    @Test("An end whose process has ended writing and then dies has sent everything, and its end")
    func finishedDeath() async throws {
        try await Reactor.withReactor { reactor in
            let near = try await Self.leftAlone(on: reactor) { number in
                #expect(Glibc.write(number, [1, 2] as [UInt8], 2) == 2)
                #expect(shutdown(number, CInt(SHUT_WR)) == 0)
            }
            #expect(try await near.read(atMost: 65_536) == [1, 2])
            #expect(try await near.read(atMost: 65_536) == [])
        }
    }

    @Test("Bytes that wait in a full buffer still arrive when an end was closed without SO_LINGER")
    func lingering() async throws {
        try await Reactor.withReactor { reactor in
            let written = Mutex(0)
            let near = try await Self.leftAlone(on: reactor) { number in
                let piece = [UInt8](repeating: 1, count: 4096)
                while case let count = send(number, piece, piece.count, CInt(MSG_DONTWAIT)), count > 0 {
                    written.withLock { $0 += count }
                }
                #expect(shutdown(number, CInt(SHUT_WR)) == 0)
                var off = linger(l_onoff: 0, l_linger: 0)
                #expect(setsockopt(number, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size)) == 0)
            }
            var received = 0
            while case let bytes = try await near.read(atMost: 65_536), !bytes.isEmpty { received += bytes.count }
            #expect(received == written.withLock(\.self))
        }
    }

    @Test("When a stream in use in both directions is reset, both reading and writing fail, whichever is first")
    func bothDirections() async throws {
        for _ in 0..<200 {
            try await Pair.with { near, far in
                async let writing: Errno? = Self.failure { () throws(Errno) in
                    while true { try await near.write([UInt8](repeating: 7, count: 65_536)) }
                }
                async let reading: Errno? = Self.failure { () throws(Errno) in
                    while case let bytes = try await near.read(atMost: 10), !bytes.isEmpty {}
                }
                _ = try await far.read(atMost: 10)
                far.reset()
                #expect(await writing != nil)
                #expect(await reading != nil, "a reader took a broken stream for a complete one")
            }
        }
    }

    @Test("Writing after the end is an error, and leaves the other direction as it is")
    func writingAfterTheEnd() async throws {
        try await Pair.with { near, far in
            try near.finishWriting()
            await #expect(throws: Errno.brokenPipe) { try await near.write([1]) }
            try await far.write([2])
            far.close()
            #expect(try await near.read(atMost: 10) == [2])
            #expect(try await near.read(atMost: 10) == [])
        }
    }

    private static func failure(_ body: () async throws(Errno) -> Void) async -> Errno? {
        do throws(Errno) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// The near end of a stream whose far end was closed after `body`, as by a process that dies.
    private static func leftAlone(on reactor: Reactor, _ body: (CInt) -> Void) async throws -> LocalStream {
        let pair = try await LocalStreamPair.connected(on: reactor)
        body(pair.far.rawValue)
        return pair.takeNear()
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
