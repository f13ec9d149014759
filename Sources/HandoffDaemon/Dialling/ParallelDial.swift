import AsyncSupport
import HandoffCore
import HandoffRadio

/// A dial of one endpoint of a device, beside which another one is dialled when the device is heard there: the channel that
/// opens first is used.
struct ParallelDial {
    /// The endpoint to begin with.
    let first: PeerEndpoint
    /// What has become of the dials; is changed by ``run()``.
    private(set) var record: DialRecord
    /// Who waits for the channel; nil for nobody.
    let wait: AwaitedChannel?
    /// Opens a channel to an endpoint.
    let open: @Sendable (PeerEndpoint, @escaping PeerDialer.Body) async throws -> Void
    /// Waits until the device is heard at another endpoint than these.
    let heard: @Sendable (Set<PeerEndpoint>) async throws -> PeerEndpoint
    /// Waits until a dial for which somebody waits has to go before; nil if none can.
    let preceded: (@Sendable () async throws -> Void)?
    /// What runs with the channel.
    let body: PeerDialer.Body

    private let contest = DialContest()
    /// The endpoints that are being dialled.
    private var pending: Set<PeerEndpoint>
    /// The endpoint that was heard last, during this dial; nil for none.
    private var newest: PeerEndpoint?
    private var isListening = false

    /// How long a dial is alone before another endpoint, where the device was heard since, is dialled beside it: twice as
    /// long as the dial of a device that is there takes, so that most dials stay alone.
    private static let headStart = Duration.milliseconds(150)
    /// How long a dial goes on beside a newer one; some radios make one dial at a time.
    ///
    /// Spoofed endpoints are cheap, so that each dial gets this long.
    private static let overlap = Duration.seconds(1)

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

    /// How the dial has ended without an error.
    private enum End {
        case bodyHasRun
        /// It was interrupted, and goes on with that endpoint.
        case interrupted(PeerEndpoint)
    }

    private typealias Group = ThrowingTaskGroup<Event, any Error>

    init(
        first: PeerEndpoint,
        record: DialRecord,
        wait: AwaitedChannel?,
        open: @escaping @Sendable (PeerEndpoint, @escaping PeerDialer.Body) async throws -> Void,
        heard: @escaping @Sendable (Set<PeerEndpoint>) async throws -> PeerEndpoint,
        preceded: (@Sendable () async throws -> Void)?,
        body: @escaping PeerDialer.Body
    ) {
        (self.first, self.record, self.wait) = (first, record, wait)
        (self.open, self.heard, self.preceded, self.body) = (open, heard, preceded, body)
        pending = [first]
    }

    /// Dials until `body` has run with a channel, all dials have failed, or another dial has to go before.
    ///
    /// - Returns: an endpoint to continue with after an interruption; nil when `body` has run.
    /// - Throws: the error of the dial that was begun last; else what `body` throws.
    mutating func run() async throws -> PeerEndpoint? {
        defer { record.opened = contest.winner }
        return try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            dial(first, &group)
            if let preceded {
                group.addTask {
                    try await preceded()
                    return .preceded
                }
            }
            while true {
                listen(&group)
                guard let event = try await group.next() else { throw CancellationError() }
                switch try handle(event, &group) {
                case nil: continue
                case .bodyHasRun: return nil
                case .interrupted(let endpoint): return endpoint
                }
            }
        }
    }

    private mutating func handle(_ event: Event, _ group: inout Group) throws -> End? {
        switch event {
        case .ended: return .bodyHasRun
        case .preceded: if contest.interrupt() { return .interrupted(pending.first ?? first) }
        case .heard(let endpoint):
            isListening = false
            guard contest.winner == nil else { return nil }
            contest.overtake(pending)
            pending.insert(endpoint)
            newest = endpoint
            dial(endpoint, &group)
        case .gaveWay(let endpoint, let hadItsTime):
            pending.remove(endpoint)
            if hadItsTime { record.tried.insert(endpoint) }
            if pending.isEmpty, contest.winner == nil, let failure = record.failure { throw failure }
        case .failed(let endpoint, let error):
            pending.remove(endpoint)
            record.tried.insert(endpoint)
            // Silence at an endpoint says less of the device than what was answered at another one, or than one heard later.
            if record.failure == nil || endpoint == newest || contest.winner == endpoint { record.failure = error }
            if contest.winner == endpoint || pending.isEmpty { throw error }
        }
        return nil
    }

    /// Listens for another endpoint while one is dialled.
    private mutating func listen(_ group: inout Group) {
        guard !isListening, pending.count == 1, contest.winner == nil else { return }
        isListening = true
        let (wait, heard, known) = (wait, heard, record.tried.union(pending))
        group.addTask {
            try await sleep(for: Self.headStart)
            wait?.scan()
            return .heard(try await heard(known))
        }
    }

    private func dial(_ endpoint: PeerEndpoint, _ group: inout Group) {
        let (wait, body, contest, open) = (wait, body, contest, open)
        group.addTask {
            try await Self.attempt(endpoint, in: contest, open) { channel in
                wait?.end()
                try await body(channel)
            }
        }
    }

    /// Dials an endpoint, and runs `body` if no other channel was opened before.
    private static func attempt(
        _ endpoint: PeerEndpoint,
        in contest: DialContest,
        _ open: @escaping @Sendable (PeerEndpoint, @escaping PeerDialer.Body) async throws -> Void,
        _ body: @escaping PeerDialer.Body
    ) async throws -> Event {
        try await race {
            do {
                try await open(endpoint) { channel in
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
            try await giveWay(endpoint, in: contest)
        }
    }

    /// Waits until another channel is used, or the dial of an endpoint has had its time beside a newer one.
    private static func giveWay(_ endpoint: PeerEndpoint, in contest: DialContest) async throws -> Event {
        try await race {
            guard try await contest.whenOpen() == endpoint else { return .gaveWay(endpoint, hadItsTime: false) }
            try await untilCancelled()
        } _: {
            try await contest.whenOvertaken(endpoint)
            try await sleep(for: Self.overlap)
            guard contest.givesUp(endpoint) else { try await untilCancelled() }
            return .gaveWay(endpoint, hadItsTime: true)
        }
    }
}
