import AsyncSupport
import HandoffCore
import HandoffRadio

/// Opens channels to devices at the endpoints where they are heard at the moment.
struct PeerDialer: Sendable {
    private typealias Body = @Sendable (any RadioChannel) async throws -> Void

    private let engine: Engine
    private let precedence = DialPrecedence()
    /// Opens a channel of the radio to an endpoint within a time limit.
    private let open: @Sendable (PeerEndpoint, Duration, @escaping Body) async throws -> Void

    /// The time limit for opening a channel.
    private static let limit = Duration.seconds(10)
    /// The time limit while there are more endpoints to try: long enough for an old bluetoothd to report an advertiser
    /// twice.
    private static let limitPerEndpoint = Duration.seconds(3)
    /// How many times a dropped link to the same endpoint is opened again.
    private static let repetitions = 2
    /// The minimum time for a dial before a new endpoint ends it: spoofed endpoints are cheap, so each dial gets this
    /// long.
    private static let minimumDialTime = Duration.seconds(1)

    init<R: Radio>(engine: Engine, radio: R) {
        self.engine = engine
        open = { endpoint, limit, body in
            try await radio.withChannel(to: endpoint.address, port: endpoint.port, timeout: limit) { channel in
                try await body(channel)
            }
        }
    }

    /// Runs `body` with a channel to a device; if it is heard at another endpoint before the channel is open, dials
    /// that one.
    ///
    /// A device may change its address at any moment, and then does not answer at the old one. An attacker may repeat
    /// its advertisement from another address: so each endpoint is tried, once. A link may drop during the first
    /// message because of another program on the same computer (bluetoothd drops late a link that it was asked to
    /// drop): after the other endpoints were tried, it is opened again, but only a few times, so that no peer can keep
    /// this device dialling.
    ///
    /// - Parameters:
    ///   - peer: the device, and its endpoints; if `body` fails at one of them, the next is tried.
    ///   - urgency: a deferrable dial waits for those to other devices for which somebody waits, and is interrupted by them.
    ///   - isDone: whether `body` has its result, so that its failure is not a reason to continue.
    ///   - body: may run again, at another endpoint or after its link was dropped, as long as it is not done.
    /// - Throws: `RadioError` when no channel can be opened; else what `body` throws.
    func withChannel(
        to peer: SessionPeer,
        _ urgency: DialUrgency,
        unless isDone: @Sendable () -> Bool,
        _ body: @escaping @Sendable (any RadioChannel) async throws -> Void
    ) async throws {
        var next: PeerEndpoint? = peer.start
        var tried: Set<PeerEndpoint> = []
        var failure: (any Error)?
        var (isBroken, repetitions) = (false, 0)
        while let current = next {
            tried.insert(current)
            let (dialled, seen) = (Promise<Void>(), tried)
            do {
                next = try await dial(peer, urgency, at: current, excluding: seen) { channel in
                    dialled.fulfil(())
                    try await body(channel)
                }
            } catch {
                // The endpoint heard last is the most likely to be the device, so its error is the one reported.
                failure = failure ?? error
                let wasOpen = dialled.valueIfSet != nil
                guard !wasOpen || !isDone(), !Task.isCancelled else { throw failure ?? error }
                if wasOpen, (error as? RadioError)?.code == .channelClosed { isBroken = true }
                next = peer.others().first { !seen.contains($0) }
                if next == nil, isBroken, repetitions < Self.repetitions {
                    // Errors from now on are reported; a device that was removed has no endpoint any more.
                    (next, failure, isBroken) = (peer.latest(), nil, false)
                    repetitions += 1
                }
                guard next != nil else { throw failure ?? error }
            }
        }
    }

    /// Dials one endpoint; returns another one to continue with, the same one after an interruption, or nil when `body`
    /// has run.
    private func dial(
        _ peer: SessionPeer,
        _ urgency: DialUrgency,
        at current: PeerEndpoint,
        excluding tried: Set<PeerEndpoint>,
        _ body: @escaping Body
    ) async throws -> PeerEndpoint? {
        let resolution = Promise<Resolution>()
        if urgency == .deferrable { try await precedence.waitForTurn(of: peer.id) }
        let awaited = urgency == .awaited ? precedence.begin(to: peer.id) : nil
        defer { awaited?.end() }
        let limit = peer.others().contains { !tried.contains($0) } ? Self.limitPerEndpoint : Self.limit
        return try await race {
            try await open(current, limit) { channel in
                resolution.fulfil(.opened)
                guard resolution.valueIfSet == .opened else { return }
                awaited?.end()
                try await body(channel)
            }
            // The task that decided to move has set the endpoint to move to.
            guard resolution.valueIfSet == .moved else { return nil }
            try await untilCancelled()
        } _: {
            let move: @Sendable () async throws -> PeerEndpoint = {
                try await Task.sleep(for: Self.minimumDialTime)
                return try await self.move(excluding: tried, to: peer.latest, resolving: resolution)
            }
            guard urgency == .deferrable else { return try await move() }
            return try await race(move) { try await yield(peer, at: current, resolving: resolution) }
        }
    }

    /// The result of one dial; it is set once.
    private enum Resolution: Sendable {
        case opened, moved
    }

    /// Waits until the device is heard at an endpoint that was not tried, before the channel is open.
    private func move(
        excluding tried: Set<PeerEndpoint>,
        to endpoint: @Sendable () -> PeerEndpoint?,
        resolving resolution: Promise<Resolution>
    ) async throws -> PeerEndpoint {
        var heard = engine.deviceUpdates.current
        while true {
            if let now = endpoint(), !tried.contains(now) {
                resolution.fulfil(.moved)
                guard resolution.valueIfSet == .opened else { return now }
            }
            heard = try await engine.deviceUpdates.changed(since: heard)
        }
    }

    /// Waits until a dial for which somebody waits has to go before a deferrable one, whose channel is not open yet.
    private func yield(
        _ peer: SessionPeer,
        at current: PeerEndpoint,
        resolving resolution: Promise<Resolution>
    ) async throws -> PeerEndpoint {
        try await precedence.waitUntilPreceded(peer.id)
        resolution.fulfil(.moved)
        guard resolution.valueIfSet == .moved else { try await untilCancelled() }
        return current
    }
}
