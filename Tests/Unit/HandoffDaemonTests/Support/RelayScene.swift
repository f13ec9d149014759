import AsyncSupport
import DBus
import Epoll
import HandoffCore
@testable import HandoffCrypto
@testable import HandoffDaemon
import HandoffRadio
import HandoffWire
import Logging
import Synchronization
import SystemPackage
import Testing
import TestLimits
import TestRuns

/// A relay of a stream between an app and another device that the test plays.
enum RelayScene {
    /// Runs `body` with an app's end of a stream and the other device; returns the pieces that the other device got and
    /// `body` has not read.
    @discardableResult
    static func run(
        _ body: @escaping @Sendable (_ app: LocalStream, _ peer: Peer) async throws -> Void
    ) async throws -> [StreamPiece] {
        try await run { forApp, _, reactor in
            try LocalStream(taking: forApp.duplicate(), on: reactor)
        } _: { app, peer in
            try await body(app, peer)
        }
    }

    /// Runs `body` with an app that uses receipts.
    @discardableResult
    static func runWithReceipts(
        isCaller: Bool = false,
        _ body: @escaping @Sendable (_ app: LocalStream, _ receipts: ReceiptSocket, _ peer: Peer) async throws -> Void
    ) async throws -> [StreamPiece] {
        try await run(isCaller: isCaller) { forApp, streams, reactor in
            let receipts = try streams.beginReceipts(of: forApp).duplicate()
            let app = try LocalStream(taking: forApp.duplicate(), on: reactor)
            return (app, try ReceiptSocket(taking: receipts, on: reactor))
        } _: { app, peer in
            try await body(app.0, app.1, peer)
        }
    }

    /// Runs `body` with what `open` makes of the app's end of a stream.
    private static func run<App: Sendable>(
        isCaller: Bool = false,
        _ open: (UnixFD, AppStreams, Reactor) throws -> App,
        _ body: @escaping @Sendable (App, Peer) async throws -> Void
    ) async throws -> [StreamPiece] {
        try await Reactor.withReactor { reactor in
            let streams = AppStreams(on: reactor)
            let (end, app) = try await connect(streams, reactor, open)
            let peer = Peer()
            let directions = StreamDirections(
                sending: peer.relaySender,
                receiving: peer.relayReceiver,
                handshakeHash: []
            )
            let relay = StreamRelay(
                end,
                radio: peer.channel,
                isCaller: isCaller,
                network: StreamNetwork(isCaller: isCaller, isEnabled: false, handshakeHash: [], on: reactor),
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

    /// Makes a stream, of which nobody but the app has the app's end.
    private static func connect<App>(
        _ streams: AppStreams,
        _ reactor: Reactor,
        _ open: (UnixFD, AppStreams, Reactor) throws -> App
    ) async throws -> (AppStreams.End, App) {
        let (end, forApp) = try await streams.connect()
        return (end, try open(forApp, streams, reactor))
    }

    /// The device at the other end of the channel.
    final class Peer: Sendable {
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

    final class Channel: RadioChannel {
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
