import AsyncSupport
package import DBus
import HandoffBus
import HandoffClient
import Synchronization
private import Glibc

/// The window without its widgets: brings the events of the person and of the daemon to the model, and carries out what
/// it wants.
package struct WindowSession: Sendable {
    /// What only the desktop can do.
    package enum DesktopAction: Hashable, Sendable {
        /// Shows a sentence for some seconds.
        case tell(String)
        /// Runs `handoffctl doctor --json`, and reports its end by an event.
        case examine
    }

    private let events: AsyncStream<WindowEvent>
    private let newEvents: AsyncStream<WindowEvent>.Continuation
    private let activationToken: @Sendable () -> String?
    private let show: @Sendable (WindowView, [DesktopAction]) -> Void

    /// - Parameters:
    ///   - activationToken: returns a token with which an app may take the focus; nil where there is none.
    ///   - show: shows a view, and does what only the desktop can; called in order, after each event.
    package init(
        activationToken: @escaping @Sendable () -> String?,
        show: @escaping @Sendable (WindowView, [DesktopAction]) -> Void
    ) {
        (events, newEvents) = AsyncStream.makeStream()
        self.activationToken = activationToken
        self.show = show
    }

    /// Passes an event to the model; never blocks.
    package func send(_ event: WindowEvent) {
        newEvents.yield(event)
    }

    /// Runs until the window is closed, also without a bus.
    package func run(over address: BusAddress = .session) async {
        let line = DaemonLine()
        let isClosed = Promise<Void>()
        await withTaskGroup { group in
            group.addTask { await serve(over: address, line, until: isClosed) }
            await handleEvents(line)
            isClosed.fulfil(())
            // For a bus that does not even let the window connect.
            if line.calls == nil { group.cancelAll() }
        }
    }

    /// Keeps a connection to the bus until the window is closed, and reports what the daemon tells.
    private func serve(over address: BusAddress, _ line: DaemonLine, until isClosed: Promise<Void>) async {
        do {
            try await Connection.withConnection(to: address) { connection in
                let questions = PairingQuestions { call in newEvents.yield(.daemon(.pairing(call))) }
                let client = HandoffClient(connection: connection)
                let follower = DaemonReader(client: client) { newEvents.yield(.daemon($0)) }.follower()
                // Another program could show digits of its own, or say that a pairing has succeeded.
                let agent = Interface.pairingAgent(questions).onlyCalled { follower.daemon }
                connection.objects.insert([agent], at: WindowCalls.pairingAgent)
                line.calls = WindowCalls(
                    client: client,
                    questions: questions,
                    token: activationToken,
                    refresh: follower.refresh
                )
                // A connection waits for the answers to its calls before it closes.
                defer { questions.close() }
                newEvents.yield(.user(.retry))
                try await withBackgroundTasks([follower.run]) { try await isClosed.value() }
            }
        } catch {
            line.calls = nil
            let reason = (error as? DBusError)?.message ?? translated("It has ended.")
            newEvents.yield(.daemon(.busLost(reason)))
        }
    }

    private func handleEvents(_ line: DaemonLine) async {
        var model = WindowModel()
        show(model.view, [])
        await withTaskGroup { group in
            for await event in events {
                let actions = model.handle(event, at: Self.now)
                var desktopActions: [DesktopAction] = []
                for action in actions {
                    switch action {
                    case .tell(let text): desktopActions.append(.tell(text))
                    case .examine: desktopActions.append(.examine)
                    case .answer, .stopPairing: line.calls?.send(action)
                    default: group.addTask { await perform(action, line.calls) }
                    }
                }
                if model.isClosed { break }
                show(model.view, desktopActions)
            }
            group.cancelAll()
        }
    }

    private func perform(_ action: WindowAction, _ calls: WindowCalls?) async {
        if let event = await calls?.perform(action) { newEvents.yield(.daemon(event)) }
    }

    /// Microseconds since 1970.
    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}

/// The calls to the daemon; nil before there is a connection to the bus, and after it was lost.
private final class DaemonLine: Sendable {
    private let state = Mutex<WindowCalls?>(nil)

    var calls: WindowCalls? {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }
}
