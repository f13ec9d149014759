import AsyncSupport
import Epoll
import HandoffCore
@testable import HandoffCrypto
@testable import HandoffDaemon
import HandoffRadio
import HandoffWire
import LocalStream
import Logging
import Synchronization
import SystemPackage
import TestLimits
import TestRuns
import Testing

@Suite("The relay of a stream passes on an end only where the writer has finished", .endsWithin(minutes: 10))
struct StreamRelayTests {
    @Test("An app that has finished reads an error if the channel breaks before its bytes have arrived")
    func unconfirmed() async throws {
        try await Self.relaying { app, peer in
            try await app.write([1, 2, 3])
            try app.finishWriting()
            #expect(try await peer.next() == .data([1, 2, 3]))
            #expect(try await peer.next() == .end)
            try peer.send(.end)
            peer.lose()
            await #expect(throws: Errno.connectionReset) { try await app.read(atMost: 1) }
        }
    }

    @Test("An app that has finished reads the end once its bytes have arrived")
    func confirmed() async throws {
        try await Self.relaying { app, peer in
            try app.finishWriting()
            #expect(try await peer.next() == .end)
            try peer.send(.data([7]))
            try peer.send(.end)
            #expect(try await peer.next() == .arrived)
            try peer.send(.arrived)
            #expect(try await app.read(atMost: 9) == [7])
            #expect(try await app.read(atMost: 9) == [])
        }
    }

    @Test("An app that has not finished reads the end at once, so that it can answer")
    func question() async throws {
        try await Self.relaying { app, peer in
            try peer.send(.data([7]))
            try peer.send(.end)
            #expect(try await app.read(atMost: 9) == [7])
            #expect(try await app.read(atMost: 9) == [])
            try await app.write([8])
            try app.finishWriting()
            #expect(try await peer.next() == .data([8]))
            #expect(try await peer.next() == .end)
            #expect(try await peer.next() == .arrived)
        }
    }

    @Test("An app that dies while both directions are in use never sends an end")
    func death() async throws {
        for _ in 0..<100 {
            let pieces = try await Self.relaying { app, peer in
                try await app.write([1])
                _ = try await peer.next()
                app.reset()
                for _ in 0..<20 { try? peer.send(.data([2])) }
            }
            #expect(!pieces.contains(.end))
        }
    }

    @Test("Four pieces are in transit over the radio, and the next one is sent when the other device has taken one")
    func window() async throws {
        try await Self.relaying { app, peer in
            for number in 0..<6 as Range<UInt8> {
                try await app.write([number])
                guard number < 4 else { continue }
                #expect(try await peer.next() == .data([number]))
            }
            // It would have sent the fifth one before it passes this on.
            try peer.send(.data([9]))
            #expect(try await app.read(atMost: 9) == [9])
            #expect(try await peer.nextOfAny() == .taken)
            try peer.send(.taken)
            // What the app has written meanwhile is one piece.
            #expect(try await peer.next() == .data([4, 5]))
        }
    }

    @Test("An app that does not read does not hold up what it writes")
    func writer() async throws {
        let bytes = [UInt8](repeating: 7, count: 2 * 1024 * 1024)
        try await Self.relaying { app, peer in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await app.write(bytes) }
                for _ in 0..<StreamWindow.pieces { try peer.send(Self.fullPiece) }
                var count = 0
                while count < bytes.count {
                    switch try await peer.nextOfAny() {
                    case .data(let piece):
                        count += piece.count
                        try peer.send(.taken)
                    // Fills what the app does not read, until no more is taken.
                    case .taken: try peer.send(Self.fullPiece)
                    default: Issue.record("another piece")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("A device that sends more than is taken ends the stream")
    func excess() async throws {
        try await Self.relaying { app, peer in
            for _ in 0..<200 { try peer.send(Self.fullPiece) }
            await #expect(throws: Errno.connectionReset) {
                // What came before the error may be read first.
                while try await !app.read(atMost: 65_536).isEmpty {}
            }
        }
    }

    @Test("A device that takes what was not sent ends the stream")
    func taking() async throws {
        try await Self.relaying { app, peer in
            try peer.send(.taken)
            await #expect(throws: Errno.connectionReset) { try await app.read(atMost: 1) }
        }
    }

    private static let fullPiece = StreamPiece.data([UInt8](repeating: 1, count: StreamPiece.maximumDataBytes))

    /// Runs `body` with an app's end of a stream and the other device; returns the pieces that the other device got and
    /// `body` has not read.
    @discardableResult
    private static func relaying(
        _ body: @escaping @Sendable (_ app: LocalStream, _ peer: Peer) async throws -> Void
    ) async throws -> [StreamPiece] {
        try await Reactor.withReactor { reactor in
            let pair = try await LocalStreamPair.connected(on: reactor)
            let app = try LocalStream(taking: try pair.duplicateFar(), on: reactor)
            let peer = Peer()
            let directions = StreamDirections(
                sending: peer.relaySender,
                receiving: peer.relayReceiver,
                handshakeHash: []
            )
            let relay = StreamRelay(
                app: pair.takeNear(),
                radio: peer.channel,
                isCaller: false,
                network: StreamNetwork(isCaller: false, isEnabled: false, handshakeHash: [], on: reactor),
                hasLeftRadio: Promise(),
                log: PeerLog(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                // A stream that breaks is what the tests are about.
                group.addTask { _ = await Result { try await relay.run(directions) } }
                #expect(try await peer.next() == .offer(nil))
                try peer.send(.offer(nil))
                try await body(app, peer)
                peer.close()
                try await group.waitForAll()
            }
            return try await peer.rest()
        }
    }

    /// The device at the other end of the channel.
    private final class Peer: Sendable {
        private static let keys = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]

        let channel = Channel()
        private let sender = Mutex(Peer.sender(keys[0]))
        private let receiver = Mutex(Peer.receiver(keys[1]))

        var relaySender: StreamSender { Self.sender(Self.keys[1]) }
        var relayReceiver: StreamReceiver { Self.receiver(Self.keys[0]) }

        func send(_ piece: StreamPiece) throws {
            channel.deliver(try sender.withLock { try $0.encode(piece) })
        }

        /// The next piece that the relay has sent, other than reports of what was taken.
        func next() async throws -> StreamPiece? {
            while let piece = try await nextOfAny() {
                if piece != .taken { return piece }
            }
            return nil
        }

        /// The next piece that the relay has sent, other than those that it sends from time to time.
        func nextOfAny() async throws -> StreamPiece? {
            while let piece = try await nextPiece() {
                if piece != .alive { return piece }
            }
            return nil
        }

        private func nextPiece() async throws -> StreamPiece? {
            while true {
                if let piece = try receiver.withLock({ try $0.next() }) { return piece }
                let next = await awaiting("a piece of the relay") { await channel.nextSent() }
                guard let next else { return nil }
                try receiver.withLock { try $0.append(next) }
            }
        }

        /// All further pieces that the relay has sent.
        func rest() async throws -> [StreamPiece] {
            channel.endSending()
            var pieces: [StreamPiece] = []
            while let piece = try await next() { pieces.append(piece) }
            return pieces
        }

        func close() { channel.end(lost: false) }
        func lose() { channel.end(lost: true) }

        private static func sender(_ key: [UInt8]) -> StreamSender {
            StreamSender(cipher: NoiseSender(state: NoiseCipherState(key: key)))
        }

        private static func receiver(_ key: [UInt8]) -> StreamReceiver {
            let frames = FrameDecoder(maximumLength: FrameCodec.maximumLength)
            return StreamReceiver(cipher: NoiseReceiver(state: NoiseCipherState(key: key)), frames: frames)
        }
    }

    private final class Channel: RadioChannel {
        let peer = RadioAddress("C0:00:00:00:00:01/random")
        let maximumMessageLength = 100_000

        private let isLost = Mutex(false)
        private let incoming = AsyncStream<[UInt8]>.makeStream()
        private let outgoing = AsyncStream<[UInt8]>.makeStream()

        func deliver(_ message: [UInt8]) { incoming.continuation.yield(message) }

        func end(lost: Bool) {
            isLost.withLock { $0 = $0 || lost }
            incoming.continuation.finish()
        }

        func nextSent() async -> [UInt8]? {
            for await message in outgoing.stream { return message }
            return nil
        }

        func endSending() { outgoing.continuation.finish() }

        func send(_ message: [UInt8]) async throws(RadioError) {
            outgoing.continuation.yield(message)
        }

        func receive() async throws(RadioError) -> [UInt8]? {
            for await message in incoming.stream { return message }
            guard !isLost.withLock(\.self) else { throw RadioError(.channelClosed, "the link was lost") }
            return nil
        }
    }
}
