import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging
import Synchronization

/// Carries out what a ``PairingMachine`` decides: channels, questions to a person, and what is kept.
final class PairingConversation<R: Radio>: Sendable {
    private enum Outgoing: Sendable {
        case bytes([UInt8])
        case close(lingers: Bool)
    }

    private struct State {
        var machine: PairingMachine?
        var outcome: PairingMachine.Outcome?
        var lastChannel: PairingMachine.ChannelID = 0
        var outlets: [PairingMachine.ChannelID: AsyncStream<Outgoing>.Continuation] = [:]
        var places: [PairingToken: Place] = [:]
        /// Whether everything is said, and no channel begins any more.
        var isClosing = false
    }

    private let engine: Engine
    private let radio: R
    private let person: any PairingPerson
    private let logger: Logger
    private let state = Mutex(State())
    private let deadline = Latest<Duration?>(nil)
    private let openChannels = Latest(0)
    private let events: AsyncStream<PairingMachine.Event>
    private let newEvents: AsyncStream<PairingMachine.Event>.Continuation

    /// How long opening a channel may take.
    private static var dialLimit: Duration { .seconds(8) }
    private static var noOutcome: HandoffError {
        HandoffError(.notPaired, "The pairing was ended; nothing was paired.")
    }
    /// How long a channel may take to end once nothing is to be said any more.
    private static var lingering: Duration { .seconds(2) }

    init(engine: Engine, radio: R, person: any PairingPerson, logger: Logger) {
        self.engine = engine
        self.radio = radio
        self.person = person
        self.logger = logger
        (events, newEvents) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1024))
    }

    /// Pairs, with a listener at `port`, until it has ended.
    ///
    /// - Throws: `CancellationError`; then ``abandon(_:)`` tells what that means.
    func run(at port: ChannelPort, _ stopped: Latest<String?>) async throws -> PairingMachine.Outcome {
        var random = SystemRandomNumberGenerator()
        let machine = PairingMachine(token: .random(using: &random), engine.pairingSelf, at: .now)
        state.withLock { $0.machine = machine }
        engine.beginPairing(machine.token, at: port) { [self] in
            hear($0, at: $1)
        } settled: { [newEvents] in
            newEvents.yield(.settled($0))
        }
        defer { engine.endPairing() }
        deadline.set(machine.deadline)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.keepTime() }
            group.addTask {
                await self.person.left()
                self.newEvents.yield(.cancelled)
            }
            group.addTask { try await self.awaitStop(stopped) }
            for await event in events {
                for work in handle(event) { group.addTask { await work() } }
                if state.withLock({ $0.machine?.isOver ?? true }) { break }
            }
            try Task.checkCancellation()
            try await closeAll()
            group.cancelAll()
            return state.withLock { $0.outcome } ?? .notPaired(Self.noOutcome)
        }
    }

    /// Serves a channel that another device has opened.
    func accept(_ channel: R.Channel) async {
        await converse(over: channel) { .accepted($0) }
    }

    /// How it has ended when the radio is gone.
    func abandon(_ error: HandoffError) -> PairingMachine.Outcome {
        _ = handle(.radioFailed(error))
        return state.withLock { $0.outcome } ?? .notPaired(error)
    }
}

extension PairingConversation {
    /// Takes in an event and does what follows; what takes time is returned.
    private func handle(_ event: PairingMachine.Event) -> [@Sendable () async -> Void] {
        let actions = state.withLock { state -> [PairingMachine.Action] in
            let actions = state.machine?.handle(event, at: .now) ?? []
            return actions
        }
        // Also when it is the same: whoever waits for it may have looked too early.
        deadline.set(state.withLock { $0.machine?.deadline })
        var works: [@Sendable () async -> Void] = []
        for action in actions {
            if let failure = carryOut(action, &works) { return works + handle(failure) }
        }
        return works
    }

    /// Carries out an action; returns what has failed, and then nothing that stands behind it may be done.
    private func carryOut(
        _ action: PairingMachine.Action,
        _ works: inout [@Sendable () async -> Void]
    ) -> PairingMachine.Event? {
        switch action {
        case .dial(let token): works.append { await self.dial(token) }
        case .send(let channel, let bytes): outlet(channel)?.yield(.bytes(bytes))
        case .close(let channel, let lingers): outlet(channel)?.yield(.close(lingers: lingers))
        case .offer(let question, let candidates):
            works.append {
                let choice = await self.person.choose(candidates)
                self.newEvents.yield(.chose(question, choice))
            }
        case .compare(let question, let digits, let peer):
            logger.info("digits are compared", metadata: ["device": "\(peer.id)", "name": "\(peer.name)"])
            works.append {
                let answer = await self.person.compare(digits, with: peer)
                self.newEvents.yield(answer.map { .compared(question, areSame: $0) } ?? .unanswered(question))
            }
        case .retract(let sentence): person.retract(sentence)
        case .abandon(let id): engine.abandonPairing(id)
        case .keep, .note, .trust: return remember(action)
        case .finish(let outcome): state.withLock { $0.outcome = outcome }
        }
        return nil
    }

    private func remember(_ action: PairingMachine.Action) -> PairingMachine.Event? {
        do throws(HandoffError) {
            switch action {
            case .keep(_, let record), .note(let record): try engine.keep(record)
            case .trust(_, let peer, let key): try engine.trust(peer, key)
            default: break
            }
            return nil
        } catch {
            logger.warning("a pairing is not written down: \(error.message)")
            return switch action {
            case .keep(let channel, _): .keepingFailed(channel, error)
            case .trust(let channel, let peer, _): .trustingFailed(channel, peer, error)
            default: nil
            }
        }
    }

    private func hear(_ token: PairingToken, at place: Place) {
        let isNew = state.withLock { state in
            guard state.places[token] != nil || state.places.count < 2 * PairingMachine.maximumContacts else {
                return false
            }
            return state.places.updateValue(place, forKey: token) == nil
        }
        if isNew { newEvents.yield(.heard(token)) }
    }

    private func dial(_ token: PairingToken) async {
        guard let place = state.withLock({ $0.places[token] }) else { return }
        do {
            try await radio.withChannel(to: place.address, port: place.port, timeout: Self.dialLimit) { channel in
                await converse(over: channel) { .opened($0, token) }
            }
        } catch {
            logger.debug("a device that pairs cannot be reached: \(error)")
            newEvents.yield(.dialFailed(token))
        }
    }

    /// Carries bytes between a channel and the machine until either of them has ended it.
    private func converse(
        over channel: R.Channel,
        _ event: (PairingMachine.ChannelID) -> PairingMachine.Event
    ) async {
        let (outgoing, outlet) = AsyncStream<Outgoing>.makeStream()
        guard let id = register(outlet) else { return }
        newEvents.yield(event(id))
        try? await first {
            while let message = try await channel.receive() {
                self.logger.debug("heard from a device that pairs", metadata: ["bytes": "\(message.count)"])
                self.newEvents.yield(.received(id, message))
            }
        } or: {
            for await item in outgoing {
                switch item {
                case .bytes(let bytes): try await channel.sendAll(bytes)
                case .close(let lingers):
                    if lingers { try await Task.sleep(for: Self.lingering) }
                    return
                }
            }
        }
        newEvents.yield(.closed(id))
        // Counted under the lock: two that end at once must not tell in the wrong order.
        state.withLock { state in
            state.outlets[id] = nil
            openChannels.set(state.outlets.count)
        }
    }

    /// The name of a channel that begins; nil when none may begin any more.
    private func register(_ outlet: AsyncStream<Outgoing>.Continuation) -> PairingMachine.ChannelID? {
        state.withLock { state in
            guard !state.isClosing else { return nil }
            state.lastChannel += 1
            state.outlets[state.lastChannel] = outlet
            openChannels.set(state.outlets.count)
            return state.lastChannel
        }
    }

    private func outlet(_ channel: PairingMachine.ChannelID) -> AsyncStream<Outgoing>.Continuation? {
        state.withLock { $0.outlets[channel] }
    }

    /// Waits until every channel has ended; what is left is ended.
    private func closeAll() async throws {
        let outlets = state.withLock { state in
            state.isClosing = true
            return Array(state.outlets.values)
        }
        for outlet in outlets { outlet.yield(.close(lingers: true)) }
        var open = openChannels.current
        while open.value > 0 { open = try await openChannels.changed(since: open) }
    }

    /// Tells the machine when a moment has come that it waits for.
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
                due = try await first {
                    try await self.deadline.changed(since: waited)
                } or: {
                    try await Task.sleep(for: moment - now)
                    return waited
                }
                guard due.number == waited.number else { continue }
            }
            newEvents.yield(.tick)
            due = try await deadline.changed(since: waited)
        }
    }

    private func awaitStop(_ stopped: Latest<String?>) async throws {
        var version = stopped.current
        while true {
            version = try await stopped.changed(since: version)
            if version.value == person.name { newEvents.yield(.cancelled) }
        }
    }
}
