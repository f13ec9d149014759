import AsyncSupport
import DBus
import Epoll
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging
import Synchronization

/// Answers trusted devices, and the peers of unreconciled pairings, each on its own channel.
struct SessionServer: Sendable {
    let engine: Engine
    /// The streams of apps, which the caller's side uses too.
    let apps: AppStreams
    let reactor: Reactor
    let logger: Logger

    private let admission = ConnectionAdmission()
    private let logLimiter = RateLimiter()
    private let streams = StreamRunner()

    init(engine: Engine, apps: AppStreams, reactor: Reactor, logger: Logger) {
        self.engine = engine
        self.apps = apps
        self.reactor = reactor
        self.logger = logger
    }

    /// The time limit for a peer to authenticate.
    private static let unauthenticatedLimit = Duration.seconds(2)
    /// The time limit for a trusted device's whole session.
    private static let limit = Duration.seconds(15)

    /// Gives unauthenticated peers their turns, and carries streams, until the task is cancelled.
    func run() async throws {
        try await withBackgroundTasks([{ await streams.run() }]) { try await admission.handshakes.run() }
    }

    /// Serves one channel until it ends; errors that a peer can cause are logged, not thrown.
    func serve(_ channel: some RadioChannel) async {
        do {
            let accepted = try await authenticate(channel)
            let answered = try await admission.authenticated.withAdmission(for: accepted.authenticated.device) {
                let answered = try await withTimeout(Self.limit, throwing: Self.tooSlow) {
                    try await answer(accepted, on: channel)
                }
                if answered.isTake {
                    try await receiveReport(answered.session, of: accepted.authenticated.device, on: channel)
                }
                return answered
            }
            if let activity = answered.streamed {
                try await streams.run { release in
                    await carry(answered.session, to: activity, accepted, on: channel, release)
                }
            }
        } catch is CancellationError {
            return
        } catch {
            report(error, of: channel.peer)
        }
    }

    /// Carries a stream to its end, which may be after that of its channel.
    private func carry(
        _ session: ServerSession,
        to activity: ActivityRegister.ID,
        _ accepted: AcceptedSession,
        on channel: some RadioChannel,
        _ release: Promise<Void>
    ) async {
        do {
            try await admission.withStream(of: accepted.authenticated.device) {
                try await stream(session, to: activity, accepted, on: channel, release)
            }
        } catch is CancellationError {
            return
        } catch {
            report(error, of: channel.peer)
        }
    }

    /// Logs an error that any device in radio range can cause: each at debug level, and a summary once a minute at info
    /// level.
    private func report(_ error: any Error, of peer: RadioAddress) {
        var metadata: Logger.Metadata = ["event": "session.failed", "peer": "\(peer)"]
        if let violation = (error as? HandoffError)?.violation { metadata["violation"] = "\(violation)" }
        logger.debug("a session ended early: \(error)", metadata: metadata)
        guard let count = logLimiter.recordEvent() else { return }
        logger.info(
            "\(count) sessions ended early since the last report; the latest: \(error)",
            metadata: ["event": "session.failed"]
        )
    }

    /// Limits the summary to one a minute, over all channels.
    private final class RateLimiter: Sendable {
        private let logLimiter = Mutex(LogRateLimiter())

        func recordEvent() -> Int? { logLimiter.withLock { $0.recordEvent(at: Moment.now.uptime) } }
    }

    private struct AcceptedSession: Sendable {
        var session: ServerSession
        let authenticated: ServerSession.AuthenticatedRequest
        /// What the caller has sent until it was authenticated.
        let firstMessage: [UInt8]
    }

    private struct AnsweredSession: Sendable {
        let session: ServerSession
        /// The activity whose app gets the channel as a stream from now on.
        let streamed: ActivityRegister.ID?
        /// Whether the caller goes on with the activity that it got.
        var isTake = false
    }

    /// The first bytes of a peer, or the reason why there are none.
    private typealias FirstBytes = Promise<Result<[UInt8]?, RadioError>>

    /// Receives the request of a peer when it is its turn.
    ///
    /// The channel is read from the beginning: a peer that closes it while it waits leaves the line.
    private func authenticate(_ channel: some RadioChannel) async throws -> AcceptedSession {
        let first = FirstBytes()
        let read: @Sendable () async throws -> Void = {
            do throws(RadioError) {
                first.fulfil(.success(try await channel.receive()))
            } catch {
                first.fulfil(.failure(error))
            }
        }
        return try await withBackgroundTasks([read]) {
            try await admission.handshakes.withTurn(for: channel.peer, unless: { _ = try await first.value() }) {
                try await withTimeout(Self.unauthenticatedLimit, throwing: Self.tooSlow) {
                    try await receiveRequest(on: channel, first)
                }
            }
        }
    }

    private func receiveRequest(on channel: some RadioChannel, _ first: FirstBytes) async throws -> AcceptedSession {
        // The devices that are trusted now: the peer may have waited.
        var session = engine.read { ServerSession(trial: $0.trust.trial, pairingTrial: $0.pairing.trial(at: .now)) }
        try await channel.sendAll(session.greeting)
        var received = try await first.value().get()
        var firstMessage: [UInt8] = []
        while let message = received {
            firstMessage += message
            if let authenticated = try session.receiveRequest(message) {
                channel.recordAuthentication()
                return AcceptedSession(session: session, authenticated: authenticated, firstMessage: firstMessage)
            }
            received = try await channel.receive()
        }
        throw HandoffError(.peerMisbehaved, "The peer closed the channel before it authenticated.")
    }

    private func answer(_ accepted: AcceptedSession, on channel: some RadioChannel) async throws -> AnsweredSession {
        var session = accepted.session
        let device = accepted.authenticated.device
        logger.debug("received a request", metadata: ["event": "request.received", "device": "\(device)"])
        if device == engine.identity.id {
            return AnsweredSession(session: try await proveCopy(to: accepted, on: channel), streamed: nil)
        }
        engine.trust.recordSession(with: device)
        let isTrusted = engine.trust.device(device) != nil
        if case .circle(let request) = accepted.authenticated.request, isTrusted,
            admission.admitsExchange(with: device)
        {
            return AnsweredSession(session: try await exchange(accepted, request, on: channel), streamed: nil)
        }
        return try await withFirstMessage(of: channel) {
            try await prepareAnswer(to: accepted.authenticated.request, from: device, isTrusted)
        } then: { prepared, firstMessage in
            // Waiting for the app takes seconds, in which the device may have been removed.
            guard !isTrusted || engine.trust.device(device) != nil else {
                throw HandoffError(.notTrusted, "The device was removed during the session.")
            }
            // So may a rule have been made.
            let prepared = engine.rules.checked(prepared, for: device)
            engine.sessions.willSendAnswer(prepared, to: device)
            try await channel.sendAll(
                try session.answer(prepared.answer, circleDigest: isTrusted ? engine.trust.circleDigest : nil)
            )
            var next = try await firstMessage()
            while let message = next {
                if let acknowledgement = try session.receiveAcknowledgement(message) {
                    return try await acknowledged(prepared, by: device, acknowledgement, session, on: channel)
                }
                next = try await channel.receive()
            }
            throw HandoffError(.peerMisbehaved, "The peer closed the channel before it acknowledged the answer.")
        }
    }

    private func acknowledged(
        _ prepared: EngineSessions.PreparedAnswer,
        by device: DeviceID,
        _ acknowledgement: Acknowledgement,
        _ session: ServerSession,
        on channel: some RadioChannel
    ) async throws -> AnsweredSession {
        var session = session
        engine.sessions.acknowledged(prepared, by: device)
        if let outcome = prepared.outcome {
            try await engine.pairings.reconcile(outcome, with: device, key: acknowledgement.advertisingKey)
            try await channel.sendAll(try session.conclude(Acknowledgement()))
            // The caller closes: if this side closed, an acknowledgement that it has not read would be discarded.
            await SessionClient.awaitClose(of: channel)
        }
        log(prepared, to: device)
        return AnsweredSession(
            session: session,
            streamed: prepared.answer == .stream ? prepared.activity : nil,
            isTake: prepared.isTake
        )
    }

    /// Proves to a caller with this device's keys that this device has them too, and receives the same proof.
    private func proveCopy(to accepted: AcceptedSession, on channel: some RadioChannel) async throws -> ServerSession {
        guard !engine.copies.isOwnCall(accepted.firstMessage) else {
            throw HandoffError(.notTrusted, "This device's own call was passed back to it.")
        }
        var session = accepted.session
        try await channel.sendAll(
            try session.answer(.refusal(Refusal(.notPaired, "This device has the same keys.")))
        )
        while let message = try await channel.receive() {
            guard try session.acknowledge(message) else { continue }
            engine.copies.recordProof()
            return session
        }
        throw HandoffError(.peerMisbehaved, "The peer closed the channel before it acknowledged the answer.")
    }

    /// Tells what this device knows, takes in what the caller knows, and tells it again, all under the session's key
    /// (Docs/Circle.md).
    private func exchange(
        _ accepted: AcceptedSession,
        _ request: CircleRequest,
        on channel: some RadioChannel
    ) async throws -> ServerSession {
        var session = accepted.session
        let device = accepted.authenticated.device
        let sent = try engine.trust.message(for: device, knowing: request.digest)
        try await channel.sendAll(try session.answer(.circle(sent)))
        while let message = try await channel.receive() {
            guard let acknowledgement = try session.receiveAcknowledgement(message) else { continue }
            guard let theirs = acknowledgement.circle else {
                throw HandoffError(.peerMisbehaved, "The peer acknowledged a circle without sending its own.")
            }
            try await engine.trust.receive(theirs, from: device)
            let ours = try engine.trust.message(for: device, knowing: theirs.digest)
            try await channel.sendAll(try session.conclude(Acknowledgement(circle: ours)))
            try await engine.trust.completeExchange(with: device, sent: sent.digest, theirs: theirs.digest)
            // The caller closes: if this side closed, data that the caller has not read yet would be discarded.
            _ = try? await channel.receive()
            return session
        }
        throw HandoffError(.peerMisbehaved, "The peer closed the channel before it sent its circle.")
    }

    /// Returns the answer to a request; circles of trusted devices are exchanged instead.
    private func prepareAnswer(
        to request: Request?,
        from device: DeviceID,
        _ isTrusted: Bool
    ) async throws -> EngineSessions.PreparedAnswer {
        switch request {
        case .settle(let request):
            return engine.pairings.answer(to: request, from: device)
        case .circle where isTrusted:
            return .refusal(.busy, "Your device has exchanged its circle with this one too often; try again later.")
        case .circle,
            .fetch where !isTrusted, .stream where !isTrusted, .report where !isTrusted, nil where !isTrusted:
            return .refusal(.notPaired, "The pairing is not reconciled yet.")
        case .fetch(let request):
            // Before its app is asked to save.
            if let refusal = engine.rules.refusal(to: device) { return refusal }
            return try await engine.sessions.answer(to: request, from: device)
        case .stream where !admission.hasRoomForStream(of: device):
            return .refusal(.busy, "This device has too many streams open; end one, and try again.")
        case .stream(let request):
            return engine.sessions.answer(to: request, from: device)
        case .report(let report):
            // The handshake makes the first message fresh, and a repetition has no effect: nothing waits for the
            // acknowledgement, without which the caller would have to repeat a report that has arrived.
            engine.takes.note(report, by: device)
            return EngineSessions.PreparedAnswer(answer: .noted, activity: nil)
        case nil:
            return .refusal(
                .notUnderstood,
                "This device does not understand the request; update handoffd on both devices."
            )
        }
    }

    /// Gives the app its end of a stream, and transfers bytes until the stream ends.
    private func stream(
        _ session: ServerSession,
        to activity: ActivityRegister.ID,
        _ accepted: AcceptedSession,
        on channel: some RadioChannel,
        _ release: Promise<Void>
    ) async throws {
        var session = session
        let app: AppStreams.End
        do {
            app = try await connect(to: activity, for: accepted.authenticated.device)
        } catch let error as HandoffError {
            try await channel.sendAll(try session.open(.refusal(Refusal(.internal, error.message))))
            // The caller closes: if this side closed, the reason would be discarded with the channel.
            await SessionClient.awaitClose(of: channel)
            throw error
        }
        do {
            try await channel.sendAll(try session.open(.stream))
        } catch {
            app.socket.reset()
            throw error
        }
        let directions = session.stream()
        let relay = StreamRelay(app, over: channel, isCaller: false, directions, engine: engine, release, on: reactor)
        let device = accepted.authenticated.device
        try await engine.rules.whilePermitted(activity, for: device) {
            try await relay.run(directions)
        }
    }

    /// Connects a local stream to the app of an activity.
    ///
    /// When this returns, the daemon holds no copy of the app's end: otherwise it would not notice that the app closes
    /// it.
    private func connect(to activity: ActivityRegister.ID, for device: DeviceID) async throws -> AppStreams.End {
        let (end, forApp) = try await apps.connect()
        do {
            try await withTimeout(Self.limit, throwing: Self.tooSlow) {
                try await engine.sessions.deliverStream(forApp, to: activity, openedBy: device)
            }
        } catch {
            end.socket.reset()
            throw error
        }
        return end
    }

    private static let tooSlow = HandoffError(.timedOut, "The peer took too long.")
}
