import AsyncSupport
import HandoffCore
import HandoffRadio
import Logging

/// Opens the sessions that this device requests: fetches, streams, circle updates and reconciliations.
///
/// A caller gets the result of a session as soon as there is one. Closing the channel and the link takes seconds more
/// on some stacks; that continues in ``run()`` without delaying the caller. A caller that gives up ends its session.
struct SessionClient: Service {
    let engine: Engine
    private let dialer: PeerDialer
    private let sessions = UncancelledTaskRunner(errorAfterEnd: CancellationError())
    /// The streams that this device has requested.
    let streams = StreamRunner()

    /// The time limit for the peer to close the channel after the last message.
    static let closeLimit = Duration.seconds(2)
    /// How long a peer may stay silent while there are more endpoints to try: an app that has to save first has 3 s.
    private static let silentLimit = Duration.seconds(5)
    /// The default time limit for the result of a session, dialling included.
    static let limit = Duration.seconds(15)

    init(engine: Engine, radio: some Radio) {
        self.engine = engine
        dialer = PeerDialer(engine: engine, radio: radio)
    }

    func run() async throws {
        try await withBackgroundTasks([{ await streams.run() }]) { await sessions.run() }
    }

    /// Opens a channel to `peer`, runs `body` over it, and returns the first result that `body` delivers.
    ///
    /// `body` may run again, at another endpoint of the peer or after its link was dropped, until it has delivered.
    /// After that it may continue for any time; then nobody learns of its errors.
    ///
    /// - Throws: ``HandoffError`` or `RadioError` that explains the failure and what to do; `CancellationError` when
    ///   the caller is cancelled.
    func withChannel<Success: Sendable>(
        to peer: SessionPeer,
        _ urgency: DialUrgency,
        limit: Duration = limit,
        _ body: @escaping @Sendable (any RadioChannel, SessionResult<Success>) async throws -> Void
    ) async throws -> Success {
        let result = SessionResult<Success>()
        defer { result.end() }
        guard sessions.submit({ await perform(peer, urgency, result, body) }) else { throw CancellationError() }
        var clock: String? { engine.nearby.clockObstacle(to: peer.id) }
        do {
            let noAnswer = { HandoffError.noAnswer(from: peer.name, within: limit, clock: clock) }
            return try await withTimeout(limit, throwing: noAnswer()) { try await result.value() }
        } catch let error as RadioError {
            throw HandoffError.explaining(error, of: peer.name, clock: clock)
        }
    }

    /// Waits until the peer closes the channel, for a limited time.
    ///
    /// Closing discards data that the peer has not read yet (net/bluetooth/l2cap_core.c, l2cap_chan_del).
    static func awaitClose(of channel: any RadioChannel) async {
        _ = try? await withTimeout(closeLimit) { try await channel.receive() }
    }

    private func perform<Success: Sendable>(
        _ peer: SessionPeer,
        _ urgency: DialUrgency,
        _ result: SessionResult<Success>,
        _ body: @escaping @Sendable (any RadioChannel, SessionResult<Success>) async throws -> Void
    ) async {
        do {
            try await race {
                try await dialer.withChannel(to: peer, urgency) {
                    !result.isPending
                } _: { channel in
                    // Another device may have accepted the channel at this endpoint, and has no answer.
                    let isAlone = peer.others().count <= 1
                    try await unlessSilent(for: isAlone ? nil : Self.silentLimit, result) {
                        try await body(channel, result)
                    }
                }
            } _: {
                try await result.waitUntilAbandoned()
                throw CancellationError()
            }
        } catch {
            // After the result, only closing the channel can have failed.
            result.fail(error)
        }
    }

    /// Runs `body`, in which the peer has to answer within `limit`; nil for no limit.
    private func unlessSilent<Success: Sendable>(
        for limit: Duration?,
        _ result: SessionResult<Success>,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard let limit else { return try await body() }
        try await race(body) {
            try await sleep(for: limit)
            guard result.isSilent else { try await untilCancelled() }
            throw RadioError(.timedOut, "No answer within \(limit).")
        }
    }
}

extension RadioChannel {
    /// Returns the first message that `decode` has completed from the bytes of the peer.
    ///
    /// - Throws: ``HandoffError`` with `notTrusted` when the peer closes the channel first; `RadioError`, and what
    ///   `decode` throws.
    func next<Message>(_ decode: ([UInt8]) throws -> Message?) async throws -> Message {
        while let bytes = try await receive() {
            if let message = try decode(bytes) { return message }
        }
        throw HandoffError.closedWithoutAnswer
    }
}
