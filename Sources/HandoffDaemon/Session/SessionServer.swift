import AsyncSupport
import DBus
import Epoll
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import LocalStream
import Logging
import Synchronization

/// Answers trusted devices, and the peers of unreconciled pairings, each on its own channel.
struct SessionServer: Sendable {
    let engine: Engine
    let reactor: Reactor
    let logger: Logger

    private let admission = ConnectionAdmission()
    private let logLimiter = RateLimiter()

    init(engine: Engine, reactor: Reactor, logger: Logger) {
        self.engine = engine
        self.reactor = reactor
        self.logger = logger
    }

    /// The time limit for a peer to authenticate.
    private static let unauthenticatedLimit = Duration.seconds(2)
    /// The time limit for a trusted device's whole session.
    private static let limit = Duration.seconds(15)

    /// Serves one channel until it ends; errors that a peer can cause are logged, not thrown.
    func serve(_ channel: some RadioChannel) async {
        do {
            let session = engine.read { ServerSession(trial: $0.trust.trial, pairingTrial: $0.pairing.trial) }
            let accepted = try await admission.unauthenticated.withAdmission(for: channel.peer) {
                try await withTimeout(Self.unauthenticatedLimit, throwing: Self.tooSlow) {
                    try await receiveRequest(session, on: channel)
                }
            }
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
                try await admission.withStream {
                    try await stream(answered.session, to: activity, accepted, on: channel)
                }
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
        logger.debug(
            "a session ended early: \(error)",
            metadata: ["event": "session.failed", "peer": "\(peer)"]
        )
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
    }

    private struct AnsweredSession: Sendable {
        let session: ServerSession
        /// The activity whose app gets the channel as a stream from now on.
        let streamed: ActivityRegister.ID?
        /// Whether the caller goes on with the activity that it got.
        var isTake = false
    }

    private func receiveRequest(_ session: ServerSession, on channel: some RadioChannel) async throws -> AcceptedSession
    {
        var session = session
        try await channel.sendAll(session.greeting)
        while let message = try await channel.receive() {
            guard let authenticated = try session.receiveRequest(message) else { continue }
            return AcceptedSession(session: session, authenticated: authenticated)
        }
        throw HandoffError(.peerMisbehaved, "The peer closed the channel before it authenticated.")
    }

    private func answer(_ accepted: AcceptedSession, on channel: some RadioChannel) async throws -> AnsweredSession {
        var session = accepted.session
        let device = accepted.authenticated.device
        logger.debug("received a request", metadata: ["event": "request.received", "device": "\(device)"])
        let isTrusted = engine.trust.device(device) != nil
        if accepted.authenticated.request == .circle, isTrusted {
            return AnsweredSession(session: try await exchange(accepted, on: channel), streamed: nil)
        }
        return try await withFirstMessage(of: channel) {
            try await prepareAnswer(to: accepted.authenticated.request, from: device, isTrusted)
        } then: { prepared, firstMessage in
            // Waiting for the app takes seconds, in which the device may have been removed.
            guard !isTrusted || engine.trust.device(device) != nil else {
                throw HandoffError(.notTrusted, "The device was removed during the session.")
            }
            engine.sessions.willSendAnswer(prepared, to: device)
            try await channel.sendAll(
                try session.answer(prepared.answer, circleDigest: isTrusted ? engine.trust.circleDigest : nil)
            )
            var next = try await firstMessage()
            while let message = next {
                if try session.acknowledge(message) {
                    return try await acknowledged(prepared, by: device, session)
                }
                next = try await channel.receive()
            }
            throw HandoffError(.peerMisbehaved, "The peer closed the channel before it acknowledged the answer.")
        }
    }

    private func acknowledged(
        _ prepared: EngineSessions.PreparedAnswer,
        by device: DeviceID,
        _ session: ServerSession
    ) async throws -> AnsweredSession {
        engine.sessions.acknowledged(prepared, by: device)
        if let request = prepared.outcome { try await engine.pairings.reconcile(request, with: device) }
        log(prepared, to: device)
        return AnsweredSession(
            session: session,
            streamed: prepared.answer == .stream ? prepared.activity : nil,
            isTake: prepared.isTake
        )
    }

    /// Sends this device's circle and merges the caller's, both under the session's key.
    private func exchange(_ accepted: AcceptedSession, on channel: some RadioChannel) async throws -> ServerSession {
        var session = accepted.session
        let device = accepted.authenticated.device
        let sent = try engine.trust.circle(for: device)
        try await channel.sendAll(try session.answer(.circle(sent)))
        while let message = try await channel.receive() {
            guard let acknowledgement = try session.acknowledgeCircle(message) else { continue }
            let theirs = acknowledgement.circle ?? sent
            let ours = try await engine.trust.merge(theirs, from: device)
            try await channel.sendAll(try session.conclude(Acknowledgement(circle: ours == theirs ? nil : ours)))
            try await engine.trust.acknowledged(theirs, by: device)
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
        case .circle,
            .fetch where !isTrusted, .stream where !isTrusted, .report where !isTrusted, nil where !isTrusted:
            return .refusal(.notPaired, "The pairing is not reconciled yet.")
        case .fetch(let request):
            return try await engine.sessions.answer(to: request)
        case .stream where !admission.hasRoomForStream:
            return .refusal(.busy, "This device has too many streams open; end one, and try again.")
        case .stream(let request):
            return engine.sessions.answer(to: request, from: device)
        case .report(let report):
            // The handshake makes the first message fresh, and a repetition has no effect: nothing waits for the
            // acknowledgement, without which the caller would have to repeat a report that has arrived.
            engine.takes.note(report, by: device)
            return EngineSessions.PreparedAnswer(answer: .noted, activity: nil)
        case nil:
            return .refusal(.notUnderstood, "This device has an older handoffd; update it.")
        }
    }

    /// Gives the app its end of a stream, and transfers bytes until the stream ends.
    private func stream(
        _ session: ServerSession,
        to activity: ActivityRegister.ID,
        _ accepted: AcceptedSession,
        on channel: some RadioChannel
    ) async throws {
        let app = try await connect(to: activity, for: accepted.authenticated.device)
        let (sender, receiver) = session.stream()
        let relay = StreamRelay(app: app, channel: channel, isCaller: false)
        try await engine.trust.whileTrusted(accepted.authenticated.device) { try await relay.run(sender, receiver) }
    }

    /// Connects a local stream to the app of an activity.
    ///
    /// When this returns, the daemon holds no copy of the app's end: otherwise it would not notice that the app closes
    /// it.
    private func connect(to activity: ActivityRegister.ID, for device: DeviceID) async throws -> LocalStream {
        let pair = try await LocalStreamPair.connected(on: reactor)
        let file = UnixFD(taking: try pair.duplicateFar())
        let near = pair.takeNear()
        do {
            try await withTimeout(Self.limit, throwing: Self.tooSlow) {
                try await engine.sessions.deliverStream(file, to: activity, openedBy: device)
            }
        } catch {
            near.reset()
            throw error
        }
        return near
    }

    private func log(_ prepared: EngineSessions.PreparedAnswer, to device: DeviceID) {
        switch prepared.answer {
        case .activity where !prepared.isTake:
            logger.debug("an activity was previewed", metadata: ["event": "activity.previewed", "device": "\(device)"])
        case .activity(let activity):
            logger.info(
                "an activity was fetched",
                metadata: ["event": "activity.fetched", "device": "\(device)", "type": "\(activity.type.rawValue)"]
            )
        case .noted, .settled: break
        case .stream:
            logger.info("a stream was opened", metadata: ["event": "stream.opened", "device": "\(device)"])
        case .refusal(let refusal):
            logger.info(
                "a request was refused: \(refusal.message)",
                metadata: ["event": "request.refused", "device": "\(device)"]
            )
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
