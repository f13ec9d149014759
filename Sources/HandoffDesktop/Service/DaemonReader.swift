import AsyncSupport
import DBus
import HandoffBus

/// Keeps the state up to date with the daemon: while it is absent, when it comes, and with each of its signals.
struct DaemonReader: Sendable {
    private static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
    /// How long a daemon may take to answer.
    private static let patience = Duration.seconds(10)

    let connection: Connection
    let state: CurrentValue<DesktopState>

    /// A follower whose events and readings become the state.
    func follower() -> DaemonFollower {
        DaemonFollower(client: HandoffClient(connection: connection)) { event in
            take(event)
        } read: { _ in
            let mirror = try await read()
            state.modify { $0.replaceDaemon(with: .running(mirror)) }
        }
    }

    private func take(_ event: DaemonFollower.Event) {
        switch event {
        case .gone: state.modify { $0.replaceDaemon(with: .absent) }
        case .came: state.modify { $0.replaceDaemon(with: .starting) }
        case .signal(let signal): apply(signal)
        case .unreadable(let error):
            let reason = (error as? DBusError)?.message ?? "\(error)"
            state.modify { $0.replaceDaemon(with: .unusable("handoffd does not answer: \(reason)")) }
        }
    }

    private func apply(_ signal: Signal) {
        // Signal strengths come many times a minute, and change nothing here.
        var changed = state.value
        changed.apply(signal)
        if changed != state.value { state.modify { $0.apply(signal) } }
    }

    private func read() async throws(DBusError) -> DaemonMirror {
        let manager = try await all(HandoffName.managerInterface)
        let rules = try await all(HandoffName.rulesInterface)
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
