import AsyncSupport
import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging
import Synchronization

/// Performs the actions of a ``PairingMachine``: opens and serves channels, asks the user, and persists pairings.
final class PairingConversation<R: Radio>: Sendable {
    private enum Outgoing: Sendable {
        case bytes([UInt8])
        /// The peer has proved who it is, and is trusted now.
        case authenticated
        case close(lingers: Bool)
    }

    private struct State {
        var machine: PairingMachine?
        /// The advertising key of this device that the machine tells.
        var toldKey: AdvertisingKeyRecord?
        var outcome: PairingMachine.Outcome?
        var lastChannel: UInt64 = 0
        var writers: [PairingMachine.ChannelID: AsyncStream<Outgoing>.Continuation] = [:]
        var endpoints: [PairingToken: PeerEndpoint] = [:]
        /// Whether all messages were sent, so that no new channel may start.
        var isClosing = false
    }

    private let engine: Engine
    private let radio: R
    private let delegate: any PairingDelegate
    private let logger: Logger
    private let state = Mutex(State())
    private let deadline = CurrentValue<Duration?>(nil)
    private let openChannels = CurrentValue(0)
    private let events = PairingEventQueue()
    private let onOutcome: @Sendable () -> Void

    /// The time limit for opening a channel.
    private static var dialLimit: Duration { .seconds(8) }
    private static var noOutcome: HandoffError {
        HandoffError(.notPaired, "The pairing was ended; nothing was paired.")
    }
    /// The time limit for a channel to end once there is nothing left to send.
    private static var lingering: Duration { .seconds(2) }

    /// - Parameter onOutcome: called when the request has an outcome, before its last messages were sent.
    init(
        engine: Engine,
        radio: R,
        delegate: any PairingDelegate,
        logger: Logger,
        onOutcome: @escaping @Sendable () -> Void
    ) {
        self.engine = engine
        self.radio = radio
        self.delegate = delegate
        self.logger = logger
        self.onOutcome = onOutcome
    }

    /// Pairs until the machine has finished, with a listener at `port`.
    ///
    /// - Throws: `CancellationError`; the caller then gets the outcome from ``abandon(_:)``.
    func run(at port: LEPSM, _ stopped: CurrentValue<String?>) async throws -> PairingMachine.Outcome {
        var random = SystemRandomNumberGenerator()
        let own = engine.pairings.newLocalIdentity()
        let machine = PairingMachine(token: .random(using: &random), own, at: .now)
        state.withLock {
            $0.machine = machine
            $0.toldKey = own.advertisingKey
        }
        let listener = Engine.PairingListener { [self] in
            receiveAdvertisement(of: $0, at: $1)
        } onReconciled: { [events] in
            events.report(.reconciled($0))
        }
        engine.pairings.begin(machine.token, at: port, listener)
        defer { engine.pairings.end() }
        deadline.set(machine.deadline)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.keepTime() }
            group.addTask {
                await self.delegate.waitUntilGone()
                self.events.report(.cancelled)
            }
            group.addTask { try await self.awaitStop(stopped) }
            await events.run { event in
                for work in await handle(event) { group.addTask { await work() } }
                return state.withLock { $0.machine.map { !$0.isOver } ?? false }
            }
            try Task.checkCancellation()
            try await closeAll()
            group.cancelAll()
            return state.withLock { $0.outcome } ?? .notPaired(Self.noOutcome)
        }
    }

    /// Serves a channel that a peer opened.
    func accept(_ channel: R.Channel) async {
        await relay(over: channel) { .accepted($0) }
    }

    /// Returns the outcome when the radio has become unavailable.
    func abandon(_ error: HandoffError) async -> PairingMachine.Outcome {
        _ = await handle(.radioFailed(error))
        return state.withLock { $0.outcome } ?? .notPaired(error)
    }
}

extension PairingConversation {
    /// Passes an event to the machine and performs the resulting actions; returns those that take time.
    private func handle(_ event: PairingMachine.Event) async -> [@Sendable () async -> Void] {
        let actions = state.withLock { state -> [PairingMachine.Action] in
            let actions = state.machine?.handle(event, at: .now) ?? []
            return actions
        }
        // Set even if unchanged: a waiting task may have read the value too early.
        deadline.set(state.withLock { $0.machine?.deadline })
        var asyncWork: [@Sendable () async -> Void] = []
        for action in actions {
            if let failure = await perform(action, &asyncWork) {
                let followingWork = await handle(failure)
                return asyncWork + followingWork
            }
        }
        return asyncWork
    }

    /// Performs an action; returns the event for its failure, after which no further action may be performed.
    private func perform(
        _ action: PairingMachine.Action,
        _ asyncWork: inout [@Sendable () async -> Void]
    ) async -> PairingMachine.Event? {
        switch action {
        case .dial(let token): asyncWork.append { await self.dial(token) }
        case .send(let channel, let bytes): writer(channel)?.yield(.bytes(bytes))
        case .close(let channel, let lingers): writer(channel)?.yield(.close(lingers: lingers))
        case .offer(let question, let candidates):
            asyncWork.append {
                let choice = await self.delegate.choose(candidates)
                self.events.report(.chose(question, choice))
            }
        case .compare(let question, let digits, let peer):
            logger.info(
                "waiting for the digits to be compared",
                metadata: ["event": "pairing.compared", "device": "\(peer.id)", "name": "\(peer.name)"]
            )
            asyncWork.append {
                let answer = await self.delegate.compare(digits, with: peer)
                self.events.report(answer.map { .compared(question, areSame: $0) } ?? .unanswered(question))
            }
        case .withdrawQuestion(let sentence): delegate.withdrawQuestion(sentence)
        case .abandon(let id): engine.pairings.abandon(id)
        case .persist, .update, .trust: return await persist(action)
        case .finish(let outcome):
            state.withLock { $0.outcome = outcome }
            onOutcome()
        }
        return nil
    }

    private func persist(_ action: PairingMachine.Action) async -> PairingMachine.Event? {
        do {
            switch action {
            case .persist(_, let record), .update(let record): try await engine.pairings.keep(record)
            case .trust(let channel, let peer, let key):
                try await engine.pairings.trust(peer, key, toldKey: state.withLock(\.toldKey))
                writer(channel)?.yield(.authenticated)
            default: break
            }
            return nil
        } catch {
            let error = error as? HandoffError ?? HandoffError(.stateUnwritable, "\(error)")
            logger.warning(
                "cannot save a pairing: \(error.message)",
                metadata: ["event": "pairing.unwritten"]
            )
            return switch action {
            case .persist(let channel, _): .persistFailed(channel, error)
            case .trust(let channel, let peer, _): .trustFailed(channel, peer, error)
            default: nil
            }
        }
    }

    private func receiveAdvertisement(of token: PairingToken, at endpoint: PeerEndpoint) {
        let isNew = state.withLock { state in
            guard state.endpoints[token] != nil || state.endpoints.count < 2 * PairingMachine.maximumContacts else {
                return false
            }
            return state.endpoints.updateValue(endpoint, forKey: token) == nil
        }
        if isNew { events.report(.heard(token)) }
    }

    private func dial(_ token: PairingToken) async {
        guard let endpoint = state.withLock({ $0.endpoints[token] }) else { return }
        do {
            try await radio.withChannel(to: endpoint.address, port: endpoint.port, timeout: Self.dialLimit) { channel in
                await relay(over: channel) { .opened($0, token) }
            }
        } catch {
            logger.debug("cannot reach a pairing device: \(error)")
            events.report(.dialFailed(token))
        }
    }

    /// Transfers bytes between a channel and the machine until either of them ends the channel.
    private func relay(
        over channel: R.Channel,
        _ event: (PairingMachine.ChannelID) -> PairingMachine.Event
    ) async {
        let (outgoing, writer) = AsyncStream<Outgoing>.makeStream()
        guard let id = register(writer) else { return }
        let places = PairingEventQueue.Places()
        events.report(event(id))
        try? await race {
            while let message = try await channel.receive() {
                self.logger.debug(
                    "received a pairing message",
                    metadata: ["event": "pairing.heard", "bytes": "\(message.count)"]
                )
                try await self.events.report(.received(id, message), in: places)
            }
        } _: {
            for await item in outgoing {
                switch item {
                case .bytes(let bytes): try await channel.sendAll(bytes)
                case .authenticated: channel.recordAuthentication()
                case .close(let lingers):
                    if lingers { try await sleep(for: Self.lingering) }
                    return
                }
            }
        }
        events.report(.closed(id))
        // Counted under the lock: two channels that end at once must report in the right order.
        state.withLock { state in
            state.writers[id] = nil
            openChannels.set(state.writers.count)
        }
    }

    /// Returns the id of a new channel; nil when no channel may start any more.
    private func register(_ writer: AsyncStream<Outgoing>.Continuation) -> PairingMachine.ChannelID? {
        state.withLock { state in
            guard !state.isClosing else { return nil }
            state.lastChannel += 1
            let id = PairingMachine.ChannelID(rawValue: state.lastChannel)
            state.writers[id] = writer
            openChannels.set(state.writers.count)
            return id
        }
    }

    private func writer(_ channel: PairingMachine.ChannelID) -> AsyncStream<Outgoing>.Continuation? {
        state.withLock { $0.writers[channel] }
    }

    /// Waits until every channel has ended, and ends those that remain.
    private func closeAll() async throws {
        let writers = state.withLock { state in
            state.isClosing = true
            return Array(state.writers.values)
        }
        for writer in writers { writer.yield(.close(lingers: true)) }
        var open = openChannels.current
        while open.value > 0 { open = try await openChannels.changed(since: open) }
    }

    /// Sends the machine an event at each deadline that it has set.
    private func keepTime() async throws {
        var due = deadline.current
        while true {
            guard let moment = due.value else {
                due = try await deadline.changed(since: due)
                continue
            }
            let waited = due
            let now = Moment.now.uptime
            if moment > now {
                due = try await race {
                    try await self.deadline.changed(since: waited)
                } _: {
                    try await sleep(for: moment - now)
                    return waited
                }
                guard due.version == waited.version else { continue }
            }
            events.report(.tick)
            due = try await deadline.changed(since: waited)
        }
    }

    private func awaitStop(_ stopped: CurrentValue<String?>) async throws {
        // The user may have stopped the request while it waited for the end of an earlier one.
        var version = stopped.current
        while true {
            if version.value == delegate.name { events.report(.cancelled) }
            version = try await stopped.changed(since: version)
        }
    }
}
