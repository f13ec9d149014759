import AsyncSupport
import DBus
import HandoffBus
import Synchronization

/// Keeps the state up to date with the daemon: while it is absent, when it comes, and with each of its signals.
///
/// It never starts a daemon.
struct DaemonFollower: Sendable {
    private static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
    /// How long a daemon may take to answer.
    private static let patience = Duration.seconds(10)

    let connection: Connection
    let state: CurrentValue<DesktopState>

    /// Is fulfilled when it is known for the first time whether there is a daemon, and what it tells.
    let hasLooked = Promise<Void>()

    private let owner = CurrentValue<BusName?>(nil)
    /// Held while the daemon is read: a signal that comes meanwhile waits, since it may be newer than what is read.
    private let turn = AsyncMutex()

    init(connection: Connection, state: CurrentValue<DesktopState>) {
        (self.connection, self.state) = (connection, state)
    }

    /// The daemon's unique name; nil while there is none.
    var daemon: BusName? { owner.value }

    /// Runs until cancelled.
    ///
    /// - Throws: `DBusError` when the bus is lost, or signals come faster than they are read.
    func run() async throws {
        try await HandoffClient(connection: connection).withSignals { signals in
            try await connection.withOwner(of: HandoffName.control) { owners in
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask {
                        for try await signal in signals {
                            try await turn.withLock { apply(signal) }
                        }
                    }
                    group.addTask {
                        for await next in owners { owner.set(next) }
                    }
                    group.addTask { try await follow() }
                }
            }
        }
    }

    /// Reads the daemon anew, for what no signal tells; does nothing while it is absent.
    func refresh() async throws {
        try await turn.withLock {
            guard case .running = state.value.daemon, daemon != nil, let mirror = try? await read() else { return }
            state.modify { state in
                if case .running = state.daemon { state.replaceDaemon(with: .running(mirror)) }
            }
        }
    }

    private func apply(_ signal: Signal) {
        // Signal strengths come many times a minute, and change nothing here.
        var changed = state.value
        changed.apply(signal)
        if changed != state.value { state.modify { $0.apply(signal) } }
    }

    private func follow() async throws {
        var seen = owner.initial
        var retry = Backoff(first: .seconds(1), longest: .seconds(60))
        while true {
            seen = try await owner.changed(since: seen)
            retry.reset()
            guard seen.value != nil else {
                state.modify { $0.replaceDaemon(with: .absent) }
                hasLooked.fulfil(())
                continue
            }
            state.modify { $0.replaceDaemon(with: .starting) }
            while try await !turn.withLock({ await load() }), owner.current.version == seen.version {
                hasLooked.fulfil(())
                _ = try await retry.wait(orUntil: owner, changesSince: seen)
            }
            hasLooked.fulfil(())
        }
    }

    /// Reads a daemon that has come; returns whether it has answered.
    private func load() async -> Bool {
        do {
            let mirror = try await read()
            state.modify { $0.replaceDaemon(with: .running(mirror)) }
            return true
        } catch {
            // A daemon that has just gone is reported by the bus.
            guard daemon != nil, !Task.isCancelled else { return false }
            state.modify { $0.replaceDaemon(with: .unusable("handoffd does not answer: \(error.message)")) }
            return false
        }
    }

    private func read() async throws(DBusError) -> DaemonMirror {
        let manager = try await all(HandoffName.managerInterface)
        var rules: [String: Value]?
        do {
            rules = try await all(HandoffName.rulesInterface)
        } catch {
            // A daemon before version 0.1.0 has no rules.
            guard error.name == .unknownInterface else { throw error }
        }
        let objects = try await call("org.freedesktop.DBus.ObjectManager", "GetManagedObjects", [])
        guard let objects = objects.first else { throw DBusError(.unexpectedReply, "It has no list of objects.") }
        return DaemonMirror(manager: manager, rules: rules, objects: objects)
    }

    private func all(_ interface: InterfaceName) async throws(DBusError) -> [String: Value] {
        try await call(Self.properties, "GetAll", [.string(interface.description)]).first?.stringDictionary ?? [:]
    }

    private func call(
        _ interface: InterfaceName,
        _ member: MemberName,
        _ arguments: [Value]
    ) async throws(DBusError) -> [Value] {
        let call = MethodCall(
            destination: HandoffName.control,
            path: HandoffName.root,
            interface: interface,
            member: member,
            arguments: arguments,
            startsService: false
        )
        return try await connection.call(call, timeout: Self.patience)
    }
}
