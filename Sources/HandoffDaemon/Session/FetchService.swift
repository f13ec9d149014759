import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging
import ServiceLifecycle

/// Fetches the activity of an entry from its origin.
protocol ActivityFetcher: Sendable {
    /// Returns the whole activity.
    ///
    /// - Throws: ``HandoffError`` or `RadioError` that explains the failure and what to do.
    func fetch(_ id: NearbyEntry.ID) async throws -> Activity
}

/// Fetches activities over a radio.
///
/// The caller gets the activity as soon as it was received and acknowledged. Closing the channel and the link takes
/// seconds more on some stacks; that continues in ``run()`` without delaying the caller.
struct FetchService<R: Radio>: Service, ActivityFetcher {
    let engine: Engine
    let radio: R
    let logger: Logger

    private typealias Outcome = Promise<Result<Answer, any Error>>

    private struct PendingFetch: Sendable {
        let entry: NearbyEntry
        let device: TrustedDevices.Device
        let outcome: Outcome
    }

    private let pendingFetches: AsyncStream<PendingFetch>
    private let newFetches: AsyncStream<PendingFetch>.Continuation

    /// The time limit for the origin to close the channel after the acknowledgement.
    private static var closeLimit: Duration { .seconds(2) }
    /// How long an origin may stay silent while there are more endpoints to try: an app that has to save first has 3 s.
    private static var silentLimit: Duration { .seconds(5) }
    /// The time limit for one fetch as a whole.
    private static var limit: Duration { .seconds(15) }

    init(engine: Engine, radio: R, logger: Logger) {
        self.engine = engine
        self.radio = radio
        self.logger = logger
        (pendingFetches, newFetches) = AsyncStream<PendingFetch>.makeStream()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await pending in pendingFetches {
                    group.addTask { await perform(pending) }
                }
            }
        }
    }

    func fetch(_ id: NearbyEntry.ID) async throws -> Activity {
        let entry = try engine.entry(id)
        guard let device = engine.read({ $0.devices[entry.device] }) else {
            throw HandoffError(.unknownDevice, "That device is not trusted any more.")
        }
        let outcome = Outcome()
        newFetches.yield(PendingFetch(entry: entry, device: device, outcome: outcome))
        let name = device.name.rawValue
        let answer = try await withTimeout(Self.limit, throwing: Self.tooSlow(name)) {
            try await outcome.value()
        }
        do {
            return try activity(in: try answer.get(), entry: entry, name: name)
        } catch let error as RadioError {
            throw Self.explained(error, name)
        }
    }

    private func perform(_ pending: PendingFetch) async {
        do {
            try await withTimeout(Self.limit + Self.closeLimit, throwing: Self.tooSlow(pending.device.name.rawValue)) {
                try await ask(pending)
            }
        } catch {
            // After the answer, only closing the channel can have failed.
            pending.outcome.fulfil(.failure(error))
        }
    }

    /// Fetches from the endpoint at which the origin was heard last; if it is heard at another one before the channel
    /// is open, from there.
    private func ask(_ pending: PendingFetch) async throws {
        let (engine, entry) = (engine, pending.entry)
        try await PeerDialer(engine: engine, radio: radio).withChannel(at: entry.endpoint) {
            // The entry may already be gone, after a withdrawal advertisement from another address, and can still be
            // fetched.
            engine.read { $0.endpoints[entry.device] }
        } others: {
            engine.endpoints(of: entry.device)
        } unless: {
            pending.outcome.valueIfSet != nil
        } _: { channel in
            let session = ClientSession(
                keys: engine.identity.keys,
                peer: pending.device.publicKey,
                request: .fetch(FetchRequest(typeHash: entry.typeHash))
            )
            // Another device may have accepted the channel at this endpoint, and has no answer.
            let isAlone = engine.endpoints(of: entry.device).count <= 1
            try await unless(isAlone ? Self.limit : Self.silentLimit, passes: pending.outcome) {
                try await runSession(session, with: pending.device.id, over: channel) {
                    pending.outcome.fulfil(.success($0))
                }
            }
        }
    }

    /// Runs `body`, which has to set an outcome within `limit`.
    private func unless(
        _ limit: Duration,
        passes outcome: Outcome,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await race(body) {
            try await Task.sleep(for: limit)
            guard outcome.valueIfSet == nil else { try await untilCancelled() }
            throw RadioError(.timedOut, "No answer within \(limit).")
        }
    }

    /// Sends the request, receives the answer, acknowledges it, and waits until the origin closes the channel.
    private func runSession(
        _ session: consuming ClientSession,
        with device: DeviceID,
        over channel: R.Channel,
        _ answer: @Sendable (Answer) -> Void
    ) async throws {
        var session = session
        try await channel.sendAll(try session.start())
        while let message = try await channel.receive() {
            guard let answered = try session.receive(message) else { continue }
            try await channel.sendAll(answered.acknowledgement)
            answer(answered.answer)
            if let digest = answered.circleDigest { engine.receiveCircleDigest(digest, from: device) }
            // Closing discards data that the peer has not read yet, so wait until the peer closes
            // (net/bluetooth/l2cap_core.c, l2cap_chan_del).
            _ = try? await withTimeout(Self.closeLimit) { try await channel.receive() }
            return
        }
        throw Self.unanswered
    }

    private func activity(in answer: Answer, entry: NearbyEntry, name: String) throws(HandoffError) -> Activity {
        switch answer {
        case .activity(let activity):
            guard activity.type.hash == entry.typeHash else {
                throw HandoffError(.peerMisbehaved, "\(name) sent a different activity from the one requested.")
            }
            engine.learn(activity.type)
            return activity
        case .refusal(let refusal) where refusal.code == .noLongerCurrent:
            engine.removeStaleEntry(entry.id)
            throw HandoffError(.noLongerCurrent, "\(name) has a different current activity by now; look again.")
        case .circle:
            throw HandoffError(.peerMisbehaved, "\(name) sent its circle instead of an activity.")
        case .refusal(let refusal) where refusal.code == .notPaired:
            throw HandoffError(.notTrusted, "\(name) does not trust this device: pair them with `handoffctl pair`.")
        case .refusal(let refusal):
            throw HandoffError(.peerRefused, "\(name) refused: \(refusal.message)")
        case .settled, .stream:
            throw HandoffError(.peerMisbehaved, "\(name) sent a stream instead of the requested activity.")
        }
    }

    private static func tooSlow(_ name: String) -> HandoffError {
        HandoffError(
            .timedOut,
            "\(name) took longer than \(limit.components.seconds) s to answer; try again nearer to it."
        )
    }

    /// The error for a channel that was closed without an answer.
    static var unanswered: HandoffError {
        HandoffError(
            .notTrusted,
            "The device closed the channel without an answer. Compare `handoffctl devices` there: if it trusts this one, "
                + "it was too busy, so try again; if not, pair them with `handoffctl pair`."
        )
    }

    /// Returns the error for the user when a device cannot be reached.
    static func explained(_ error: RadioError, _ name: String) -> any Error {
        switch error.code {
        case .timedOut, .channelClosed:
            HandoffError(.peerUnreachable, "\(name) cannot be reached: bring it nearer and see that it is awake.")
        case .refused:
            HandoffError(.peerRefused, "\(name) does not accept channels: is handoffd still running there?")
        default:
            error
        }
    }
}
