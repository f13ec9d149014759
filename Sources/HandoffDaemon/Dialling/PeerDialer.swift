import AsyncSupport
import HandoffCore
import HandoffRadio

/// Opens channels to devices at the endpoints where they are heard at the moment.
struct PeerDialer: Sendable {
    /// What runs with the channel.
    typealias Body = @Sendable (any RadioChannel) async throws -> Void

    private let engine: Engine
    private let precedence = DialPrecedence()
    /// Opens a channel of the radio to an endpoint within a time limit.
    private let open: @Sendable (PeerEndpoint, Duration, @escaping Body) async throws -> Void

    /// The time limit for opening a channel.
    private static let limit = Duration.seconds(10)
    /// The time limit while there are more endpoints to try: long enough for an old bluetoothd to report an advertiser
    /// twice.
    private static let limitPerEndpoint = Duration.seconds(3)
    /// The time limit for the first dial of a channel for which somebody waits, and for listening after it, before the device
    /// is dialled again: bluetoothd and the kernel report nobody during a dial, so that a new address is heard only then.
    private static let (firstLimit, listening) = (Duration.seconds(5), Duration.milliseconds(1500))
    /// The time limit for the dial after that: all three are shorter than that of a session.
    private static let lastLimit = Duration.seconds(7)

    init<R: Radio>(engine: Engine, radio: R) {
        self.engine = engine
        open = { endpoint, limit, body in
            try await radio.withChannel(to: endpoint.address, port: endpoint.port, timeout: limit) { channel in
                try await body(channel)
            }
        }
    }

    /// Runs `body` with a channel to a device; if it is heard at another endpoint before the channel is open, dials
    /// that one too.
    ///
    /// A device may change its address at any moment, and then does not answer at the old one. An attacker may repeat
    /// its advertisement from another address: so each endpoint is tried, once, and two at a time at most. A link may drop
    /// during the first message because of another program on the same computer (bluetoothd drops late a link that it was
    /// asked to drop): after the other endpoints were tried, it is opened again, but only a few times, so that no peer can
    /// keep this device dialling.
    ///
    /// - Parameters:
    ///   - peer: the device, and its endpoints; if `body` fails at one of them, the next is tried.
    ///   - urgency: a deferrable dial waits for those to other devices for which somebody waits, and is interrupted by them.
    ///     While somebody waits, this device scans until the channel is open.
    ///   - isDone: whether `body` has its result, so that its failure is not a reason to continue.
    ///   - body: may run again, at another endpoint or after its link was dropped, as long as it is not done.
    /// - Throws: `RadioError` when no channel can be opened; else what `body` throws.
    func withChannel(
        to peer: SessionPeer,
        _ urgency: DialUrgency,
        unless isDone: @Sendable () -> Bool,
        _ body: @escaping @Sendable (any RadioChannel) async throws -> Void
    ) async throws {
        var record = DialRecord()
        let wait = urgency == .awaited ? AwaitedChannel(to: peer.id, precedence, engine) : nil
        defer { wait?.end() }
        var next: PeerEndpoint? = peer.start
        while let current = next {
            do {
                next = try await dial(peer, urgency, at: current, &record, wait, body)
            } catch {
                record.fails(with: error)
                guard !record.wasOpen || !isDone(), !Task.isCancelled else { throw record.failure ?? error }
                next = try await self.next(after: error, at: current, of: peer, &record, wait)
            }
        }
    }

    /// Dials one endpoint, and another one beside it when the device is heard there: the channel that opens first is used.
    ///
    /// - Returns: an endpoint to continue with after an interruption; nil when `body` has run.
    private func dial(
        _ peer: SessionPeer,
        _ urgency: DialUrgency,
        at first: PeerEndpoint,
        _ record: inout DialRecord,
        _ wait: AwaitedChannel?,
        _ body: @escaping Body
    ) async throws -> PeerEndpoint? {
        if urgency == .deferrable { try await precedence.waitForTurn(of: peer.id) }
        let limit = limit(of: peer, at: first, record, isAwaited: wait != nil)
        let (open, precedence) = (open, precedence)
        let preceded: @Sendable () async throws -> Void = { try await precedence.waitUntilPreceded(peer.id) }
        var dial = ParallelDial(
            first: first,
            record: record,
            wait: wait,
            open: { endpoint, body in try await open(endpoint, limit, body) },
            heard: { known in try await self.endpoint(of: peer, besides: known) },
            preceded: urgency == .awaited ? nil : preceded,
            body: body
        )
        defer { record = dial.record }
        return try await dial.run()
    }

    private func limit(
        of peer: SessionPeer,
        at first: PeerEndpoint,
        _ record: DialRecord,
        isAwaited: Bool
    ) -> Duration {
        if peer.others().contains(where: { !record.tried.contains($0) && $0 != first }) { return Self.limitPerEndpoint }
        guard isAwaited else { return Self.limit }
        return record.hasListened ? Self.lastLimit : Self.firstLimit
    }

    /// Returns the endpoint to dial after a dial, or `body` at its endpoint, has failed.
    ///
    /// - Throws: the failure to report when there is none.
    private func next(
        after error: any Error,
        at current: PeerEndpoint,
        of peer: SessionPeer,
        _ record: inout DialRecord,
        _ wait: AwaitedChannel?
    ) async throws -> PeerEndpoint {
        if let other = peer.others().first(where: { !record.tried.contains($0) }) { return other }
        if let wait, record.mayListen(after: error) {
            wait.scan()
            record.hasListened = true
            let tried = record.tried
            return try await withTimeout(Self.listening) { try await endpoint(of: peer, besides: tried) } ?? current
        }
        let failure = record.failure ?? error
        // A device that was removed has no endpoint any more.
        guard record.repeats(), let latest = peer.latest() else { throw failure }
        return latest
    }

    /// Waits until the device is heard at another endpoint than these.
    private func endpoint(of peer: SessionPeer, besides known: Set<PeerEndpoint>) async throws -> PeerEndpoint {
        var heard = engine.deviceUpdates.current
        while true {
            if let endpoint = peer.latest(), !known.contains(endpoint) { return endpoint }
            heard = try await engine.deviceUpdates.changed(since: heard)
        }
    }
}
