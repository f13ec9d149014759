import Epoll
import Glibc
import LocalStream
import SystemPackage
import TestLimits
import Testing

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
