import AsyncSupport
import DBus
import Epoll
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import LocalStream
import Logging
import ServiceLifecycle

/// Opens continuation streams to the apps of activities that were continued on this device.
protocol StreamOpener: Sendable {
    /// Returns a connected socket whose other end is the app that began the activity.
    ///
    /// - Throws: `HandoffError` or `RadioError` that explains the failure and what to do.
    func openStream(_ continuation: ContinuationID) async throws -> UnixFD
}

/// Opens continuation streams over a radio and transfers their bytes until they end.
struct StreamService<R: Radio>: Service, StreamOpener {
    let engine: Engine
    let radio: R
    let reactor: Reactor
    let logger: Logger

    private typealias Outcome = CurrentValue<Result<UnixFD, any Error>?>

    private struct PendingStream: Sendable {
        let continuation: ContinuationID
        let device: TrustedDevices.Device
        let endpoint: PeerEndpoint
        let outcome: Outcome
        /// Set when the app has its end.
        let isOpen = Promise<Void>()
    }

    private let pendingStreams: AsyncStream<PendingStream>
    private let newStreams: AsyncStream<PendingStream>.Continuation

    /// The time limit for opening a stream.
    private static var limit: Duration { .seconds(15) }

    init(engine: Engine, radio: R, reactor: Reactor, logger: Logger) {
        self.engine = engine
        self.radio = radio
        self.reactor = reactor
        self.logger = logger
        (pendingStreams, newStreams) = AsyncStream<PendingStream>.makeStream()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await pending in pendingStreams {
                    group.addTask { await perform(pending) }
                }
            }
        }
    }

    func openStream(_ continuation: ContinuationID) async throws -> UnixFD {
        let (device, endpoint) = try engine.reachable(continuation.device)
        let outcome = Outcome(nil)
        // Only the app may hold its end: otherwise its closing would not be noticed. A caller that gave up gets none.
        defer { outcome.set(.failure(CancellationError())) }
        newStreams.yield(
            PendingStream(continuation: continuation, device: device, endpoint: endpoint, outcome: outcome)
        )
        let name = device.name.rawValue
        do {
            let result = try await withTimeout(Self.limit, throwing: Self.tooSlow(name)) {
                try await outcome.changed(since: outcome.initial).value
            }
            guard let file = try result?.get() else { throw CancellationError() }
            return file
        } catch let error as RadioError {
            throw FetchService<R>.explained(error, name)
        }
    }

    private func perform(_ pending: PendingStream) async {
        let (engine, device) = (engine, pending.device.id)
        do {
            try await race {
                try await PeerDialer(engine: engine, radio: radio).withChannel(at: pending.endpoint) {
                    try? engine.reachable(device).1
                } others: {
                    engine.endpoints(of: device)
                } unless: {
                    pending.isOpen.valueIfSet != nil || pending.outcome.value != nil
                } _: { channel in
                    try await runSession(pending, over: channel)
                }
            } _: {
                // The caller gives up after the same time: a stream that opens later would have no reader.
                try await withTimeout(Self.limit, throwing: Self.tooSlow(pending.device.name.rawValue)) {
                    try await pending.isOpen.value()
                }
                try await untilCancelled()
            }
        } catch {
            pending.outcome.setOnce(.failure(error))
            logger.info(
                "a stream ended early: \(error)",
                metadata: ["event": "stream.failed", "device": "\(device)"]
            )
        }
    }

    /// Requests the stream, gives the app its end, and transfers bytes until the stream has ended.
    private func runSession(_ pending: PendingStream, over channel: R.Channel) async throws {
        var session = ClientSession(
            keys: engine.identity.keys,
            peer: pending.device.publicKey,
            request: .stream(StreamRequest(activity: pending.continuation.activity))
        )
        try await channel.sendAll(try session.start())
        while let message = try await channel.receive() {
            guard let answered = try session.receive(message) else { continue }
            try await channel.sendAll(answered.acknowledgement)
            do throws(HandoffError) {
                try Self.check(answered.answer, from: pending.device.name.rawValue)
            } catch {
                // The device itself has answered: other endpoints are not tried.
                pending.outcome.setOnce(.failure(error))
                throw error
            }
            let app = try await connect(pending)
            let (sender, receiver) = session.stream()
            logger.info(
                "a stream was opened",
                metadata: ["event": "stream.opened", "device": "\(pending.device.id)"]
            )
            let relay = StreamRelay(app: app, channel: channel, isCaller: true)
            return try await engine.whileTrusted(pending.device.id) { try await relay.run(sender, receiver) }
        }
        throw FetchService<R>.unanswered
    }

    /// Gives the requesting app its end of a connection, and returns the other.
    private func connect(_ pending: PendingStream) async throws -> LocalStream {
        let pair = try await LocalStreamPair.connected(on: reactor)
        guard pending.outcome.value == nil else {
            throw HandoffError(.timedOut, "The app stopped waiting for the stream.")
        }
        pending.isOpen.fulfil(())
        pending.outcome.setOnce(.success(UnixFD(taking: try pair.duplicateFar())))
        return pair.takeNear()
    }

    private static func check(_ answer: Answer, from name: String) throws(HandoffError) {
        switch answer {
        case .stream: return
        case .activity, .circle, .settled:
            throw HandoffError(.peerMisbehaved, "\(name) sent something other than the requested stream.")
        case .refusal(let refusal) where refusal.code == .noSuchActivity:
            throw HandoffError(.continuationEnded, "The activity has ended on \(name); it accepts no more streams.")
        case .refusal(let refusal) where refusal.code == .streamsNotSupported:
            throw HandoffError(.streamsNotSupported, "The app on \(name) does not accept continuation streams.")
        case .refusal(let refusal):
            throw HandoffError(.peerRefused, "\(name) refused: \(refusal.message)")
        }
    }

    private static func tooSlow(_ name: String) -> HandoffError {
        HandoffError(.timedOut, "\(name) took longer than \(limit.components.seconds) s; try again nearer to it.")
    }
}
