import AsyncSupport
import DBus
import HandoffBus
import HandoffClient

/// Pairs with another device by notifications: carries out what ``PairingPrompt`` decides.
struct PairingService: Sendable {
    static let path: ObjectPath = "/org/handoffd/Desktop1/Pairing"
    /// The most events that wait; no pairing has as many.
    private static let maximumEvents = 256

    private let client: HandoffClient
    private let server: NotificationServer
    private let state: CurrentValue<DesktopState>
    private let questions: PairingQuestions
    private let events: AsyncStream<Event>
    private let newEvents: AsyncStream<Event>.Continuation

    private enum Event: Sendable {
        case prompt(PairingPrompt.Event)
        /// The time of a wake-up has come.
        case alarm
        case notification(NotificationEvent)
        /// The user wants to pair; it is found out then what the notification server can do.
        case pair
        case owner(BusName?)
    }

    init(client: HandoffClient, server: NotificationServer, state: CurrentValue<DesktopState>) {
        (self.client, self.server, self.state) = (client, server, state)
        let (events, newEvents) = AsyncStream.makeStream(
            of: Event.self,
            bufferingPolicy: .bufferingOldest(Self.maximumEvents)
        )
        (self.events, self.newEvents) = (events, newEvents)
        questions = PairingQuestions { newEvents.yield(.prompt(.call($0))) }
    }

    /// Begins to pair, or shows what a pairing that has begun has come to.
    func pair() { newEvents.yield(.pair) }

    /// Stops a pairing.
    func stop() { newEvents.yield(.prompt(.stop)) }

    /// Shows again what was closed.
    func showDigits() { newEvents.yield(.prompt(.showDigits)) }

    /// The object that the daemon calls; nobody else may.
    ///
    /// - Parameter daemon: the daemon's unique name, nil while there is none.
    func agent(calledBy daemon: @escaping @Sendable () -> BusName?) -> Interface {
        Interface.pairingAgent(questions).onlyCalled(by: daemon)
    }

    /// Runs until cancelled; then no notification stays.
    ///
    /// - Throws: `DBusError` when the bus is lost.
    func run() async throws {
        let connection = client.connection
        try await connection.withSignals(NotificationServer.signals) { signals in
            try await connection.withOwner(of: NotificationServer.name) { servers in
                try await connection.withOwner(of: HandoffName.control) { daemons in
                    try await withBackgroundTasks(readers(signals, servers, daemons)) {
                        try await withThrowingDiscardingTaskGroup { group in await answer(&group) }
                    }
                }
            }
        }
    }

    /// What turns signals and owners of names into events.
    private func readers(
        _ signals: SignalSequence,
        _ servers: AsyncStream<BusName?>,
        _ daemons: AsyncStream<BusName?>
    ) -> [@Sendable () async throws -> Void] {
        let newEvents = newEvents
        return [
            {
                for try await signal in signals {
                    if let event = NotificationEvent(signal) { newEvents.yield(.notification(event)) }
                }
            },
            { for await owner in servers { newEvents.yield(.owner(owner)) } },
            { for await owner in daemons where owner == nil { newEvents.yield(.prompt(.daemonStopped)) } },
        ]
    }

    /// Handles the events one after the other.
    private func answer(_ group: inout ThrowingDiscardingTaskGroup<any Error>) async {
        var (prompt, shown, owner) = (PairingPrompt(), UInt32?.none, BusName?.none)
        for await event in events {
            guard let promptEvent = await translate(event, shown: &shown, owner: &owner) else { continue }
            var waiting = prompt.handle(promptEvent, at: .sinceStart)
            while !waiting.isEmpty {
                let action = waiting.removeFirst()
                if case .wake(let delay) = action {
                    let newEvents = newEvents
                    group.addTask {
                        try await sleep(for: delay)
                        newEvents.yield(.alarm)
                    }
                } else {
                    for event in await perform(action, shown: &shown) {
                        waiting += prompt.handle(event, at: .sinceStart)
                    }
                }
            }
            let menu = prompt.menu
            state.modify { $0.pairing = menu }
        }
        if let shown { server.close(shown) }
        questions.close()
    }

    /// Returns what an event means to the prompt; nil for nothing.
    private func translate(_ event: Event, shown: inout UInt32?, owner: inout BusName?) async -> PairingPrompt.Event? {
        switch event {
        case .prompt(let event): return event
        case .alarm: return .alarm(isShown: shown != nil)
        case .pair: return .pair(await ability())
        case .notification(.pressed(let id, let key)): return id == shown ? .pressed(key) : nil
        case .notification(.closed(let id)):
            if id == shown { shown = nil }
            return nil
        case .notification(.activationToken): return nil
        case .owner(let next):
            defer { owner = next }
            // A server that a call of ours has started shows already what it was called with.
            if owner != nil, owner != next { shown = nil }
            guard shown == nil else { return nil }
            return .serverChanged(next == nil ? .absent : await ability())
        }
    }

    /// Performs an action; returns the events that follow from it.
    private func perform(_ action: PairingPrompt.Action, shown: inout UInt32?) async -> [PairingPrompt.Event] {
        switch action {
        case .show(let notification): return await show(notification, &shown)
        case .close:
            if let shown { server.close(shown) }
            shown = nil
        case .request:
            do {
                try await client.pair(agent: Self.path)
            } catch {
                return [.refused((error as? DBusError)?.message ?? "\(error)")]
            }
        case .stop:
            do {
                try await client.stopPairing()
            } catch {
                // A daemon that does not answer tells no end, either.
                return [.call(.failed(PairingFailure(.userCancelled, "")))]
            }
        case .answer(let question, let answer): questions.answer(question, answer)
        case .tell(let sentence): state.modify { $0.failure = sentence }
        case .wake: break
        }
        return []
    }

    private func show(_ notification: DesktopNotification, _ shown: inout UInt32?) async -> [PairingPrompt.Event] {
        do throws(DBusError) {
            let capabilities = try await server.capabilities()
            shown = try await server.show(notification, replacing: shown, capabilities: capabilities)
            return [.shown]
        } catch {
            shown = nil
            return [.notShown]
        }
    }

    private func ability() async -> PairingPrompt.Server {
        guard let capabilities = try? await server.capabilities() else { return .absent }
        return capabilities.contains("actions") ? .able : .withoutButtons
    }
}
