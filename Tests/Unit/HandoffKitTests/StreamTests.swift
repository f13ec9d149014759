import DBus
import Epoll
import FoundationEssentials
import Glibc
import LocalStream
import TestLimits
import Testing

@testable import HandoffKit

@Suite("Both directions of continuation streams", .endsWithin(minutes: 10))
struct StreamTests {
    @Test("Each side reads what the other writes, in pieces or as a whole, and then the end")
    func bothWays() async throws {
        try await Self.connected { streams, other in
            try await streams.output.write([1, 2])
            try streams.output.finish()
            let bytes = try await other.read(atMost: 10)
            #expect(bytes == [1, 2])
            let end = try await other.read(atMost: 10)
            #expect(end == [])
            try await other.write([3, 4, 5])
            try other.finishWriting()
            var pieces: [UInt8] = []
            for try await piece in streams.input { pieces += piece }
            #expect(pieces == [3, 4, 5])
        }
    }

    @Test("A stream that breaks is an error with a reason, and not an end")
    func broken() async throws {
        try await Self.connected { streams, other in
            other.reset()
            let error = await Self.failure { _ = try await streams.input.readAll(limit: 10) }
            #expect(error?.handoffReason == .streamBroken)
        }
    }

    @Test("An abort gives the other side an error, and closing gives it an end")
    func ending() async throws {
        try await Self.connected { streams, other in
            streams.abort()
            await #expect(throws: (any Error).self) { try await other.read(atMost: 10) }
            let error = await Self.failure { try await streams.output.write([1]) }
            #expect(error?.handoffReason == .streamBroken)
        }
        try await Self.connected { streams, other in
            streams.close()
            let bytes = try await other.read(atMost: 10)
            #expect(bytes == [])
        }
    }

    @Test("Streams that are released give the other side an error, or an end if they were finished before")
    func lettingGo() async throws {
        for finishes in [true, false] {
            try await Reactor.withReactor { reactor in
                let other = try await Self.leaving(on: reactor) { streams in
                    try await streams.output.write([1])
                    if finishes { try streams.output.finish() }
                }
                let whole = try? await Self.readAll(other)
                #expect(whole == (finishes ? [1] : nil))
            }
        }
    }

    /// The other end of streams that have been released.
    private static func leaving(
        on reactor: Reactor,
        _ body: (ContinuationStreams) async throws -> Void
    ) async throws -> LocalStream {
        let pair = try await LocalStreamPair.connected(on: reactor)
        do {
            let streams = ContinuationStreams(UnixFD(taking: try pair.duplicateFar()), on: reactor)
            try await body(streams)
        }
        return pair.takeNear()
    }

    private static func readAll(_ stream: LocalStream) async throws -> [UInt8] {
        var all: [UInt8] = []
        while case let bytes = try await stream.read(atMost: 10), !bytes.isEmpty { all += bytes }
        return all
    }

    @Test("More data than allowed is an error that names the limit")
    func limit() async throws {
        try await Self.connected { streams, other in
            try await other.write([UInt8](repeating: 0, count: 11))
            try other.finishWriting()
            let error = await Self.failure { _ = try await streams.input.readAll(limit: 10) }
            #expect(error?.handoffReason == .payloadTooLarge)
            #expect(error?.handoffMessage.contains("10 bytes") == true)
        }
    }

    @Test("The socket can be taken once, in blocking mode, and not while it is in use")
    func descriptor() async throws {
        try await Self.connected { streams, other in
            let number = try streams.takeFileDescriptor()
            #expect(fcntl(number, F_GETFL) & O_NONBLOCK == 0)
            #expect(throws: CocoaError.self) { try streams.takeFileDescriptor() }
            streams.close()
            #expect(write(number, [7], 1) == 1)
            let bytes = try await other.read(atMost: 10)
            #expect(bytes == [7])
            close(number)
        }
        try await Self.connected { streams, _ in
            try await streams.output.write([1])
            #expect(throws: CocoaError.self) { try streams.takeFileDescriptor() }
        }
    }

    /// Runs `body` with the streams of an app, and the other app's end of them.
    private static func connected(_ body: (ContinuationStreams, LocalStream) async throws -> Void) async throws {
        try await Reactor.withReactor { reactor in
            let pair = try await LocalStreamPair.connected(on: reactor)
            // No variable for the descriptor: one that lives on would keep the socket open.
            let streams = ContinuationStreams(UnixFD(taking: try pair.duplicateFar()), on: reactor)
            try await body(streams, pair.takeNear())
        }
    }

    private static func failure(_ body: () async throws -> Void) async -> CocoaError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? CocoaError
        }
    }
}
