import DBus
import Epoll
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import LocalStream
import Logging
import Synchronization

/// Answers trusted devices, each on its own channel, and nobody else.
struct SessionServer: Sendable {
    let engine: Engine
    let reactor: Reactor
    let logger: Logger

    private let reception = Reception()
    private let budget = Budget()

    init(engine: Engine, reactor: Reactor, logger: Logger) {
        self.engine = engine
        self.reactor = reactor
        self.logger = logger
    }

    /// How long a stranger is listened to.
    private static let strangerLimit = Duration.seconds(2)
    /// How long a trusted device may take for all of it.
    private static let limit = Duration.seconds(15)

    /// Serves one channel to its end; nothing that a peer does is an error here.
    func serve(_ channel: some RadioChannel) async {
        do {
            let session = ServeSession(trial: engine.read(\.trial))
            let introduced = try await reception.strangers.withSeat(for: channel.peer) {
                try await withDeadline(Self.strangerLimit, orThrow: Self.tooSlow) {
                    try await introduction(session, on: channel)
                }
            }
            let served = try await reception.callers.withSeat(for: introduced.introduction.device) {
                try await withDeadline(Self.limit, orThrow: Self.tooSlow) {
                    try await answer(introduced, on: channel)
                }
            }
            if let activity = served.streamed {
                try await reception.withStream {
                    try await stream(served.session, to: activity, introduced, on: channel)
                }
            }
        } catch is CancellationError {
            return
        } catch {
            report(error, of: channel.peer)
        }
    }

    /// What anybody with a radio can make happen is told in full for whoever looks for it, and else once a minute.
    private func report(_ error: any Error, of peer: RadioAddress) {
        logger.debug("a session ended early: \(error)", metadata: ["peer": "\(peer)"])
        guard let count = budget.spend() else { return }
        logger.info("\(count) sessions ended early since this was told last; the newest: \(error)")
    }

    /// How often that is told, over all channels.
    private final class Budget: Sendable {
        private let budget = Mutex(LogBudget())

        func spend() -> Int? { budget.withLock { $0.spend(at: Moment.now.uptime) } }
    }

    private struct Introduced: Sendable {
        var session: ServeSession
        let introduction: ServeSession.Introduction
    }

    private struct Served: Sendable {
        let session: ServeSession
        /// The activity to whose app the channel is a stream from now on.
        let streamed: ActivityRegister.ID?
    }

    private func introduction(_ session: ServeSession, on channel: some RadioChannel) async throws -> Introduced {
        var session = session
        while let message = try await channel.receive() {
            guard let introduction = try session.introduce(message) else { continue }
            return Introduced(session: session, introduction: introduction)
        }
        throw HandoffError(.peerMisbehaved, "The peer closed the channel before it said who it is.")
    }

    private func answer(_ introduced: Introduced, on channel: some RadioChannel) async throws -> Served {
        var session = introduced.session
        let device = introduced.introduction.device
        logger.debug("a device asks", metadata: ["device": "\(device)"])
        if introduced.introduction.request == .circle {
            return Served(session: try await exchange(introduced, on: channel), streamed: nil)
        }
        let given = try await given(to: introduced.introduction.request, from: device)
        try await channel.sendAll(try session.answer(given.answer, circleDigest: engine.circleDigest))
        engine.gave(given, to: device)
        while let message = try await channel.receive() {
            guard try session.acknowledge(message) else { continue }
            engine.acknowledged(given, by: device)
            log(given.answer, to: device)
            return Served(session: session, streamed: given.answer == .stream ? given.activity : nil)
        }
        throw HandoffError(.peerMisbehaved, "The peer closed the channel before it acknowledged the answer.")
    }

    /// Tells what this device knows of the circle, and takes in what the caller knows, under the session's key.
    private func exchange(_ introduced: Introduced, on channel: some RadioChannel) async throws -> ServeSession {
        var session = introduced.session
        let device = introduced.introduction.device
        let told = engine.circle
        try await channel.sendAll(try session.answer(.circle(told)))
        while let message = try await channel.receive() {
            guard let acknowledgement = try session.acknowledgeCircle(message) else { continue }
            let theirs = acknowledgement.circle ?? told
            try engine.merge(theirs, from: device)
            let ours = engine.circle
            try await channel.sendAll(try session.conclude(Acknowledgement(circle: ours == theirs ? nil : ours)))
            try engine.acknowledged(theirs, by: device)
            // The caller closes: closing throws away what it has not taken.
            _ = try? await channel.receive()
            return session
        }
        throw HandoffError(.peerMisbehaved, "The peer closed the channel before it told what it knows of the circle.")
    }

    private func given(to request: Request?, from device: DeviceID) async throws -> Engine.Given {
        switch request {
        case .fetch(let request): try await engine.answer(to: request)
        case .circle: preconditionFailure("a circle is exchanged, not given")
        case .stream where !reception.hasRoomForStream:
            Engine.Given(
                answer: .refusal(Refusal(.busy, "It carries as many streams as it can; end one, and try again.")),
                activity: nil
            )
        case .stream(let request): engine.answer(to: request, from: device)
        case nil:
            Engine.Given(
                answer: .refusal(Refusal(.notUnderstood, "This device has an older handoffd; update it.")),
                activity: nil
            )
        }
    }

    /// Gives the app its end of a stream, and carries bytes until the stream has ended.
    private func stream(
        _ session: ServeSession,
        to activity: ActivityRegister.ID,
        _ introduced: Introduced,
        on channel: some RadioChannel
    ) async throws {
        let app = try await connect(to: activity, for: introduced.introduction.device)
        let (sender, receiver) = session.stream()
        let relay = StreamRelay(app: app, channel: channel, isCaller: false)
        try await engine.whileTrusted(introduced.introduction.device) { try await relay.run(sender, receiver) }
    }

    /// Connects to the app of an activity.
    ///
    /// When this returns, nobody but the app holds the app's end: its closing would not be noticed otherwise.
    private func connect(to activity: ActivityRegister.ID, for device: DeviceID) async throws -> LocalStream {
        let pair = try await LocalStreamPair.connected(on: reactor)
        let file = UnixFD(taking: try pair.duplicateFar())
        let near = pair.takeNear()
        do {
            try await withDeadline(Self.limit, orThrow: Self.tooSlow) {
                try await engine.hand(file, to: activity, openedBy: device)
            }
        } catch {
            near.reset()
            throw error
        }
        return near
    }

    private func log(_ answer: Answer, to device: DeviceID) {
        switch answer {
        case .activity(let activity):
            logger.info(
                "an activity was fetched",
                metadata: ["device": "\(device)", "type": "\(activity.type.rawValue)"]
            )
        case .stream:
            logger.info("a stream was opened", metadata: ["device": "\(device)"])
        case .refusal(let refusal):
            logger.info("a request was refused: \(refusal.message)", metadata: ["device": "\(device)"])
        case .circle: break
        }
    }

    private static let tooSlow = HandoffError(.timedOut, "The peer took too long.")
}

extension RadioChannel {
    /// Sends any number of bytes, in as few messages as the channel allows.
    func sendAll(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(maximumMessageLength)
            try await send(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
    }
}
