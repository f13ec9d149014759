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

/// Opens continuation streams to the apps of activities that were continued here.
protocol StreamOpener: Sendable {
    /// A connected socket, on whose other end is the app that began the activity.
    ///
    /// - Throws: `HandoffError` or `RadioError` that says why not and what to do.
    func openStream(_ continuation: ContinuationID) async throws -> UnixFD
}

/// Opens continuation streams over a radio and carries them until they end.
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
        /// Raised when the app has its end.
        let isOpen = Promise<Void>()
    }

    private let pendingStreams: AsyncStream<PendingStream>
    private let newStreams: AsyncStream<PendingStream>.Continuation

    /// How long it may take until the stream is open.
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
        // Nobody but the app may hold its end: its closing would not be noticed otherwise. Whoever gave up gets none.
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
                // Whoever asked gives up after as long: what opens later has nobody to go to.
                try await withTimeout(Self.limit, throwing: Self.tooSlow(pending.device.name.rawValue)) {
                    try await pending.isOpen.value()
                }
                try await untilCancelled()
            }
        } catch {
            pending.outcome.setOnce(.failure(error))
            logger.info("a stream ended early: \(error)", metadata: ["device": "\(device)"])
        }
    }

    /// Asks for the stream, gives the app its end, and carries bytes until the stream has ended.
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
                // It was the device that answered so: no other place is tried.
                pending.outcome.setOnce(.failure(error))
                throw error
            }
            let app = try await connect(pending)
            let (sender, receiver) = session.stream()
            logger.info("a stream was opened", metadata: ["device": "\(pending.device.id)"])
            let relay = StreamRelay(app: app, channel: channel, isCaller: true)
            return try await engine.whileTrusted(pending.device.id) { try await relay.run(sender, receiver) }
        }
        throw FetchService<R>.unanswered
    }

    /// Gives the app that asked its end of a connection, and returns the other.
    private func connect(_ pending: PendingStream) async throws -> LocalStream {
        let pair = try await LocalStreamPair.connected(on: reactor)
        guard pending.outcome.value == nil else {
            throw HandoffError(.timedOut, "Whoever asked for the stream has given up.")
        }
        pending.isOpen.fulfil(())
        pending.outcome.setOnce(.success(UnixFD(taking: try pair.duplicateFar())))
        return pair.takeNear()
    }

    private static func check(_ answer: Answer, from name: String) throws(HandoffError) {
        switch answer {
        case .stream: return
        case .activity, .circle, .settled:
            throw HandoffError(.peerMisbehaved, "\(name) sent something else than the stream that was asked for.")
        case .refusal(let refusal) where refusal.code == .noSuchActivity:
            throw HandoffError(.continuationEnded, "The activity has ended on \(name); streams to it are over.")
        case .refusal(let refusal) where refusal.code == .streamsNotSupported:
            throw HandoffError(.streamsNotSupported, "The app on \(name) takes no continuation streams.")
        case .refusal(let refusal):
            throw HandoffError(.peerRefused, "\(name) refused: \(refusal.message)")
        }
    }

    private static func tooSlow(_ name: String) -> HandoffError {
        HandoffError(.timedOut, "\(name) took longer than \(limit.components.seconds) s; try again nearer to it.")
    }
}
