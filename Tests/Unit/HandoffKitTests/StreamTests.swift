import AsyncSupport
import DBus
import Epoll
import FoundationEssentials
import Glibc
import Testing
import TestLimits

@testable import HandoffKit

@Suite("Both directions of continuation streams", .endsWithin(minutes: 10))
struct StreamTests {
    @Test("Each side reads what the other writes, in pieces or as a whole, and then the end")
    func bothWays() async throws {
        try await Self.connected { streams, other, _ in
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
        try await Self.connected { streams, other, _ in
            other.reset()
            let error = await Self.failure { _ = try await streams.input.readAll(limit: 10) }
            #expect(error?.handoffReason == .streamBroken)
        }
    }

    @Test("An abort gives the other side an error, and closing gives it an end")
    func ending() async throws {
        try await Self.connected { streams, other, _ in
            streams.abort()
            await #expect(throws: (any Error).self) { try await other.read(atMost: 10) }
            let error = await Self.failure { try await streams.output.write([1]) }
            #expect(error?.handoffReason == .streamBroken)
        }
        try await Self.connected { streams, other, _ in
            streams.close()
            let bytes = try await other.read(atMost: 10)
            #expect(bytes == [])
        }
    }

    @Test("Streams that are released give the other side an error, or an end if they were finished before")
    func lettingGo() async throws {
        for finishes in [true, false] {
            try await ReceiptDaemon.running { daemon, reactor in
                let other = try await Self.leaving(daemon, reactor) { streams in
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
        _ daemon: ReceiptDaemon,
        _ reactor: Reactor,
        _ body: (ContinuationStreams) async throws -> Void
    ) async throws -> LocalStream {
        let pair = try await LocalStreamPair.connected(on: reactor)
        do {
            let streams = ContinuationStreams(UnixFD(taking: try pair.duplicateFar()), daemon.support)
            try await body(streams)
        }
        return pair.takeNear()
    }

    private static func readAll(_ stream: LocalStream) async throws -> [UInt8] {
        var all: [UInt8] = []
        while case let bytes = try await stream.read(atMost: 10), !bytes.isEmpty { all += bytes }
        return all
    }

    @Test("An app learns that the other one has everything from its receipt, and from nothing before")
    func completed() async throws {
        try await Self.connected { streams, other, daemon in
            try await streams.output.write([1, 2])
            try other.finishWriting()
            async let completion: Void = streams.complete()
            #expect(try await other.read(atMost: 10) == [1, 2])
            #expect(try await other.read(atMost: 10) == [])
            let receipts = try await daemon.receipts.value()
            // It has read the end, and gives its own receipt first: of two apps, each may wait for the other.
            #expect(try await receipts.receive())
            try receipts.send()
            try await completion
        }
    }

    @Test("An app whose data are not confirmed gets an error, whatever it has read")
    func unconfirmed() async throws {
        try await Self.connected { streams, other, daemon in
            try await streams.output.write([1])
            try other.finishWriting()
            async let completion = Self.failure { try await streams.complete() }
            let receipts = try await daemon.receipts.value()
            #expect(try await receipts.receive())
            receipts.close()
            #expect(await completion?.handoffReason == .streamBroken)
        }
    }

    @Test("Data that nobody has read are no end: the streams break, and no receipt is given")
    func unread() async throws {
        try await Self.connected { streams, other, daemon in
            try await streams.output.write([1])
            try await other.write([7])
            let error = await Self.failure { try await streams.complete() }
            #expect(error?.handoffMessage.contains("more than was read") == true)
            #expect(try await daemon.receipts.value().receive() == false)
        }
    }

    @Test("Streams that are left before the other end was read give a receipt when it comes, and none if data come")
    func left() async throws {
        for comesData in [false, true] {
            try await Self.connected { streams, other, daemon in
                try await streams.output.write([1])
                streams.close()
                #expect(try await Self.readAll(other) == [1])
                if comesData { try await other.write([7]) } else { try other.finishWriting() }
                #expect(try await daemon.receipts.value().receive() == !comesData)
            }
        }
    }

    @Test("A body that returns has its streams completed if it has read the end")
    func scoped() async throws {
        try await Self.connected { streams, other, daemon in
            try other.finishWriting()
            try await streams.output.write([1])
            #expect(try await streams.input.readAll(limit: 0) == [])
            async let end: Void = streams.end()
            let receipts = try await daemon.receipts.value()
            #expect(try await receipts.receive())
            try receipts.send()
            try await end
        }
    }

    @Test("More data than allowed is an error that names the limit")
    func limit() async throws {
        try await Self.connected { streams, other, _ in
            try await other.write([UInt8](repeating: 0, count: 11))
            try other.finishWriting()
            let error = await Self.failure { _ = try await streams.input.readAll(limit: 10) }
            #expect(error?.handoffReason == .payloadTooLarge)
            #expect(error?.handoffMessage.contains("10 bytes") == true)
        }
    }

    @Test("The socket can be taken once, in blocking mode, and not while it is in use")
    func descriptor() async throws {
        try await Self.connected { streams, other, _ in
            let number = try streams.takeFileDescriptor()
            #expect(fcntl(number, F_GETFL) & O_NONBLOCK == 0)
            #expect(throws: CocoaError.self) { try streams.takeFileDescriptor() }
            streams.close()
            #expect(write(number, [7], 1) == 1)
            let bytes = try await other.read(atMost: 10)
            #expect(bytes == [7])
            close(number)
        }
        try await Self.connected { streams, _, _ in
            try await streams.output.write([1])
            #expect(throws: CocoaError.self) { try streams.takeFileDescriptor() }
        }
    }

    /// Runs `body` with the streams of an app, the other app's end of them, and the daemon.
    private static func connected(
        _ body: @escaping @Sendable (ContinuationStreams, LocalStream, ReceiptDaemon) async throws -> Void
    ) async throws {
        try await ReceiptDaemon.running { daemon, reactor in
            let pair = try await LocalStreamPair.connected(on: reactor)
            // No variable for the descriptor: one that lives on would keep the socket open.
            let streams = ContinuationStreams(UnixFD(taking: try pair.duplicateFar()), daemon.support)
            try await body(streams, pair.takeNear(), daemon)
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
