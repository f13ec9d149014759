import AsyncSupport
import DBus
import Epoll
import HandoffCore
import HandoffRadio
import HandoffWire
import Logging

/// Opens continuation streams to the apps of activities that were continued on this device, and transfers their bytes
/// until they end.
struct StreamOpener: Sendable {
    let client: SessionClient
    /// The streams of apps, which the origin's side uses too.
    let apps: AppStreams
    let reactor: Reactor
    let logger: Logger
    private let appDials = AppDialTurns()

    private var engine: Engine { client.engine }

    /// The time limit for a stream to be opened, of which the app there has 10 s to accept it: less than the 25 s after
    /// which libraries of D-Bus give up.
    private static let limit = Duration.seconds(24)

    init(client: SessionClient, apps: AppStreams, reactor: Reactor, logger: Logger) {
        (self.client, self.apps, self.reactor, self.logger) = (client, apps, reactor, logger)
    }

    /// Returns a connected socket whose other end is the app that began the activity.
    ///
    /// The dial for an app, which may be hostile, gives way to those for which the user waits; the dials of all apps are
    /// made one after the other.
    ///
    /// - Parameters:
    ///   - continuation: names the activity.
    ///   - caller: who asks for the stream.
    ///   - audience: under which name it asks.
    /// - Throws: ``HandoffError`` or `RadioError` that explains the failure and what to do.
    func openStream(_ continuation: ContinuationID, for caller: BusName, _ audience: Audience) async throws -> UnixFD {
        if let obstacle = engine.rules.obstacle(toDealingWith: continuation.device) { throw obstacle.error }
        let peer = try engine.sessions.peer(continuation.device)
        let request = StreamRequest(activity: continuation.activity)
        do {
            switch audience {
            case .programs: return try await open(request, of: peer, .awaited)
            case .apps:
                let noAnswer = HandoffError.noAnswer(from: peer.name, within: Self.limit)
                return try await withTimeout(Self.limit, throwing: noAnswer) {
                    try await appDials.withTurn(of: caller) { endTurn in
                        try await open(request, of: peer, .deferrable, opened: endTurn)
                    }
                }
            }
        } catch {
            report(error, of: peer)
            throw error
        }
    }

    /// Dials the device, calls `opened` when it has answered the dial, and requests the stream.
    private func open(
        _ request: StreamRequest,
        of peer: SessionPeer,
        _ urgency: DialUrgency,
        opened: @escaping @Sendable () -> Void = {}
    ) async throws -> UnixFD {
        try await client.withChannel(to: peer, urgency, limit: Self.limit) { channel, result in
            opened()
            try await serve(request, of: peer, over: channel, result)
        }
    }

    /// Requests the stream, gives the app its end, and transfers bytes until the stream has ended.
    private func serve(
        _ request: StreamRequest,
        of peer: SessionPeer,
        over channel: any RadioChannel,
        _ result: SessionResult<UnixFD>
    ) async throws {
        var session = ClientSession(keys: engine.identity.keys, peer: peer.publicKeys, request: .stream(request))
        try await channel.sendAll(try await channel.next { try session.open($0) })
        let received = try await channel.next { try session.receive($0) }
        // The device itself has answered: other endpoints are not tried.
        result.noteAnswer()
        if let error = Self.failure(received.answer, of: peer) {
            if case .refusal = received.answer { try await channel.sendAll(try session.acknowledge()) }
            return result.fail(error)
        }
        try await channel.sendAll(try session.acknowledge())
        let opened = try await channel.next { try session.receiveOpening($0) }
        if let error = Self.failure(opened, of: peer) { return result.fail(error) }
        let app = try await connect(result)
        let directions = session.stream()
        logger.info("a stream was opened", metadata: ["event": "stream.opened"])
        logger.debug("opened a stream", metadata: ["device": "\(peer.id)"])
        try await client.streams.run { release in
            let relay = StreamRelay(
                app,
                over: channel,
                isCaller: true,
                directions,
                engine: engine,
                release,
                on: reactor
            )
            do {
                try await engine.rules.whilePermitted(for: peer.id) { try await relay.run(directions) }
            } catch {
                report(error, of: peer)
            }
        }
    }

    /// Returns the error for an answer that is not the requested stream; nil for the stream.
    private static func failure(_ answer: Answer, of peer: SessionPeer) -> HandoffError? {
        switch answer {
        case .stream: nil
        case .refusal(let refusal): HandoffError.refused(refusal, by: peer.name)
        case .activity, .circle, .noted, .settled:
            HandoffError.unexpectedAnswer(answer, from: peer.name, insteadOf: "the requested stream")
        }
    }

    /// Gives the requesting app its end of a connection, and returns the other.
    private func connect(_ result: SessionResult<UnixFD>) async throws -> AppStreams.End {
        let (end, forApp) = try await apps.connect()
        guard result.deliver(forApp) else {
            throw HandoffError(.timedOut, "The app stopped waiting for the stream.")
        }
        return end
    }

    private func report(_ error: any Error, of peer: SessionPeer) {
        if error is CancellationError { return }
        logger.info("a stream ended early: \(error)", metadata: ["event": "stream.failed", "device": "\(peer.id)"])
    }
}
