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
protocol StreamOpening: Sendable {
    /// A connected socket, on whose other end is the app that began the activity.
    ///
    /// - Throws: `HandoffError` or `RadioError` that says why not and what to do.
    func openStream(_ continuation: ContinuationName) async throws -> UnixFD
}

/// Opens continuation streams over a radio and carries them until they end.
struct StreamService<R: Radio>: Service, StreamOpening {
    let engine: Engine
    let radio: R
    let reactor: Reactor
    let logger: Logger

    private typealias Outcome = Latest<Result<UnixFD, any Error>?>

    private struct Order: Sendable {
        let continuation: ContinuationName
        let device: TrustedDevices.Device
        let place: Place
        let outcome: Outcome
        /// Raised when the app has its end.
        let isOpen = Latest(false)
    }

    private let orders: AsyncStream<Order>
    private let newOrders: AsyncStream<Order>.Continuation

    /// How long it may take until the stream is open.
    private static var limit: Duration { .seconds(15) }

    init(engine: Engine, radio: R, reactor: Reactor, logger: Logger) {
        self.engine = engine
        self.radio = radio
        self.reactor = reactor
        self.logger = logger
        (orders, newOrders) = AsyncStream<Order>.makeStream()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await order in orders {
                    group.addTask { await carryOut(order) }
                }
            }
        }
    }

    func openStream(_ continuation: ContinuationName) async throws -> UnixFD {
        let (device, place) = try engine.reachable(continuation.device)
        let outcome = Outcome(nil)
        // Nobody but the app may hold its end: its closing would not be noticed otherwise. Whoever gave up gets none.
        defer { outcome.set(.failure(CancellationError())) }
        newOrders.yield(Order(continuation: continuation, device: device, place: place, outcome: outcome))
        let name = device.name.rawValue
        do {
            let result = try await withDeadline(Self.limit, orThrow: Self.tooSlow(name)) {
                try await outcome.changed(since: outcome.initial).value
            }
            guard let file = try result?.get() else { throw CancellationError() }
            return file
        } catch let error as RadioError {
            throw FetchService<R>.explained(error, name)
        }
    }

    private func carryOut(_ order: Order) async {
        let (engine, device) = (engine, order.device.id)
        do {
            try await first {
                try await Dialler(engine: engine, radio: radio).withChannel(at: order.place) {
                    try? engine.reachable(device).1
                } others: {
                    engine.places(of: device)
                } unless: {
                    order.isOpen.current.value || order.outcome.current.value != nil
                } _: { channel in
                    try await converse(order, over: channel)
                }
            } or: {
                // Whoever asked gives up after as long: what opens later has nobody to go to.
                try await withDeadline(Self.limit, orThrow: Self.tooSlow(order.device.name.rawValue)) {
                    _ = try await order.isOpen.changed(since: order.isOpen.initial)
                }
                try await untilCancelled()
            }
        } catch {
            order.outcome.setOnce(.failure(error))
            logger.info("a stream ended early: \(error)", metadata: ["device": "\(device)"])
        }
    }

    /// Asks for the stream, gives the app its end, and carries bytes until the stream has ended.
    private func converse(_ order: Order, over channel: R.Channel) async throws {
        var session = FetchSession(
            keys: engine.identity.keys,
            peer: order.device.publicKey,
            request: .stream(StreamRequest(activity: order.continuation.activity))
        )
        try await channel.sendAll(try session.start())
        while let message = try await channel.receive() {
            guard let answered = try session.receive(message) else { continue }
            try await channel.sendAll(answered.acknowledgement)
            do throws(HandoffError) {
                try Self.check(answered.answer, from: order.device.name.rawValue)
            } catch {
                // It was the device that answered so: no other place is tried.
                order.outcome.setOnce(.failure(error))
                throw error
            }
            let app = try await connect(order)
            let (sender, receiver) = session.stream()
            logger.info("a stream was opened", metadata: ["device": "\(order.device.id)"])
            let relay = StreamRelay(app: app, channel: channel, isCaller: true)
            return try await engine.whileTrusted(order.device.id) { try await relay.run(sender, receiver) }
        }
        throw FetchService<R>.unanswered
    }

    /// Gives the app that asked its end of a connection, and returns the other.
    private func connect(_ order: Order) async throws -> LocalStream {
        let pair = try await LocalStreamPair.connected(on: reactor)
        guard order.outcome.current.value == nil else {
            throw HandoffError(.timedOut, "Whoever asked for the stream has given up.")
        }
        order.isOpen.set(true)
        order.outcome.setOnce(.success(UnixFD(taking: try pair.duplicateFar())))
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
