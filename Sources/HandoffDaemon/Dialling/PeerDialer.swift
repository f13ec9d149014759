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
    /// How long a dial is alone before another endpoint, where the device was heard since, is dialled beside it: twice as
    /// long as the dial of a device that is there takes, so that most dials stay alone.
    private static let headStart = Duration.milliseconds(150)
    /// The time limit for the first dial of a channel for which somebody waits, and for listening after it, before the device
    /// is dialled again: bluetoothd and the kernel report nobody during a dial, so that a new address is heard only then.
    private static let (firstLimit, listening) = (Duration.seconds(5), Duration.milliseconds(1500))
    /// The time limit for the dial after that: all three are shorter than that of a session.
    private static let lastLimit = Duration.seconds(7)
    /// How long a dial goes on beside a newer one; some radios make one dial at a time.
    ///
    /// Spoofed endpoints are cheap, so that each dial gets this long.
    private static let overlap = Duration.seconds(1)

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
        var next: PeerEndpoint? = peer.start
        var dials = Dials()
        var (isBroken, repetitions) = (false, 0)
        let wait = urgency == .awaited ? AwaitedChannel(to: peer.id, precedence, engine) : nil
        defer { wait?.end() }
        while let current = next {
            do {
                next = try await dial(peer, urgency, at: current, &dials, wait, body)
            } catch {
                let failure = dials.failure ?? error
                dials.failure = failure
                let wasOpen = dials.opened != nil
                guard !wasOpen || !isDone(), !Task.isCancelled else { throw failure }
                if wasOpen, (error as? RadioError)?.code == .channelClosed { isBroken = true }
                next = peer.others().first { !dials.tried.contains($0) }
                if next == nil, (error as? RadioError)?.code == .timedOut, let wait, !dials.hasListened, !wasOpen {
                    wait.scan()
                    let tried = dials.tried
                    let heard = try await withTimeout(Self.listening) { try await endpoint(of: peer, besides: tried) }
                    (next, dials.hasListened) = (heard ?? current, true)
                }
                if next == nil, isBroken, repetitions < Self.repetitions {
                    // Errors from now on are reported; a device that was removed has no endpoint any more.
                    (next, dials.failure, isBroken) = (peer.latest(), nil, false)
                    repetitions += 1
                }
                guard next != nil else { throw failure }
            }
        }
    }

    /// What has become of the dials to one device.
    private struct Dials {
        /// The endpoints that have had their turn.
        var tried: Set<PeerEndpoint> = []
        /// The error at the endpoint that was heard last: it is the most likely to be the device.
        var failure: (any Error)?
        /// Whether the device was listened for after a dial that has failed.
        var hasListened = false
        /// The endpoint whose channel was used last; nil before one is open.
        var opened: PeerEndpoint?
    }

    /// What happens while one or two endpoints are dialled.
    private enum Event: Sendable {
        /// The body has run.
        case ended
        /// The dial, or the body at that endpoint, has failed.
        case failed(PeerEndpoint, any Error)
        /// Another channel is used, or the dial has had its time beside a newer one.
        case gaveWay(PeerEndpoint, hadItsTime: Bool)
        /// The device is heard at another endpoint.
        case heard(PeerEndpoint)
        /// A dial for which somebody waits has to go before.
        case preceded
    }

    /// Dials one endpoint, and another one beside it when the device is heard there: the channel that opens first is used.
    ///
    /// - Returns: an endpoint to continue with after an interruption; nil when `body` has run.
    private func dial(
        _ peer: SessionPeer,
        _ urgency: DialUrgency,
        at first: PeerEndpoint,
        _ dials: inout Dials,
        _ wait: AwaitedChannel?,
        _ body: @escaping Body
    ) async throws -> PeerEndpoint? {
        if urgency == .deferrable { try await precedence.waitForTurn(of: peer.id) }
        let contest = DialContest()
        defer { dials.opened = contest.winner }
        let tried = dials.tried
        let hasOthers = peer.others().contains { !tried.contains($0) && $0 != first }
        let alone = wait == nil ? Self.limit : dials.hasListened ? Self.lastLimit : Self.firstLimit
        let limit = hasOthers ? Self.limitPerEndpoint : alone
        var newest = first
        let attempt: @Sendable (PeerEndpoint) async throws -> Event = { endpoint in
            try await self.attempt(endpoint, limit, in: contest) { channel in
                wait?.end()
                try await body(channel)
            }
        }
        return try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            var pending: Set = [first]
            group.addTask { try await attempt(first) }
            if urgency == .deferrable {
                group.addTask {
                    try await precedence.waitUntilPreceded(peer.id)
                    return .preceded
                }
            }
            var isListening = false
            while true {
                if !isListening, pending.count == 1, contest.winner == nil {
                    isListening = true
                    let known = dials.tried.union(pending)
                    group.addTask {
                        try await Task.sleep(for: Self.headStart)
                        wait?.scan()
                        return .heard(try await endpoint(of: peer, besides: known))
                    }
                }
                guard let event = try await group.next() else { throw CancellationError() }
                switch event {
                case .ended: return nil
                case .preceded: if contest.interrupt() { return pending.first ?? first }
                case .heard(let endpoint):
                    isListening = false
                    guard contest.winner == nil else { continue }
                    contest.overtake(pending)
                    pending.insert(endpoint)
                    newest = endpoint
                    group.addTask { try await attempt(endpoint) }
                case .gaveWay(let endpoint, let hadItsTime):
                    pending.remove(endpoint)
                    if hadItsTime { dials.tried.insert(endpoint) }
                    if pending.isEmpty, contest.winner == nil, let failure = dials.failure { throw failure }
                case .failed(let endpoint, let error):
                    pending.remove(endpoint)
                    dials.tried.insert(endpoint)
                    if endpoint == newest || dials.failure == nil { dials.failure = error }
                    if contest.winner == endpoint || pending.isEmpty { throw error }
                }
            }
        }
    }

    /// Dials an endpoint, and runs `body` if no other channel was opened before.
    private func attempt(
        _ endpoint: PeerEndpoint,
        _ limit: Duration,
        in contest: DialContest,
        _ body: @escaping Body
    ) async throws -> Event {
        try await race {
            do {
                try await open(endpoint, limit) { channel in
                    guard contest.opens(endpoint) else { return }
                    try await body(channel)
                }
                guard contest.winner == endpoint else { try await untilCancelled() }
                return .ended
            } catch {
                guard !Task.isCancelled else { throw CancellationError() }
                return .failed(endpoint, error)
            }
        } _: {
            try await race {
                guard try await contest.whenOpen() == endpoint else { return .gaveWay(endpoint, hadItsTime: false) }
                try await untilCancelled()
            } _: {
                try await contest.whenOvertaken(endpoint)
                try await Task.sleep(for: Self.overlap)
                guard contest.givesUp(endpoint) else { try await untilCancelled() }
                return .gaveWay(endpoint, hadItsTime: true)
            }
        }
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
