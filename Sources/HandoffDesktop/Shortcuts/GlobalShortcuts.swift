import AsyncSupport
import DBus
import HandoffBus

/// A keyboard shortcut that continues the nearest activity, from the desktop's portal (XDG Desktop Portal,
/// `org.freedesktop.portal.GlobalShortcuts`).
///
/// The portal asks the person for the keys, so nothing is bound before the person wants it. A shortcut that the portal has
/// kept from an earlier session is used again.
struct GlobalShortcuts: Sendable {
    /// The id of the only shortcut.
    private static let shortcut = "continue-nearest"
    private static let portal: BusName = "org.freedesktop.portal.Desktop"
    private static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    private static let interface: InterfaceName = "org.freedesktop.portal.GlobalShortcuts"
    /// How long a portal may take for what it asks nobody.
    private static let patience = Duration.seconds(25)

    private let connection: Connection
    private let state: CurrentValue<DesktopState>
    /// Continues the nearest activity, with a token with which it may take the focus; must not block.
    private let activate: @Sendable (String?) -> Void
    /// Counts how often the person wanted a shortcut: then the portal is asked for one, and asks for the keys.
    private let wishes: CurrentValue<Int>

    init(
        connection: Connection,
        state: CurrentValue<DesktopState>,
        wishes: CurrentValue<Int>,
        activate: @escaping @Sendable (String?) -> Void
    ) {
        (self.connection, self.state, self.wishes, self.activate) = (connection, state, wishes, activate)
    }

    /// Runs until cancelled: with each portal that comes, for as long as it stays.
    ///
    /// - Throws: `DBusError` when the bus is lost.
    func run() async throws {
        let owner = CurrentValue<BusName?>(nil)
        let follow: @Sendable () async throws -> Void = {
            try await connection.withOwner(of: Self.portal) { owners in
                for await next in owners { owner.set(next) }
            }
        }
        try await withBackgroundTasks([follow]) {
            var seen = owner.initial
            while true {
                let current = seen
                seen = try await race {
                    try await owner.changed(since: current)
                } _: {
                    if current.value != nil { await use() }
                    return try await owner.changed(since: current)
                }
                state.modify { $0.shortcut = .unavailable }
            }
        }
    }

    /// Uses a portal until it goes or the task is cancelled; a portal without shortcuts is not used.
    private func use() async {
        do {
            try await register()
            let session = try await createSession()
            let rule = MatchRule(sender: Self.portal, path: Self.path, interface: Self.interface)
            try await connection.withSignals(rule) { signals in
                let binding: @Sendable () async throws -> Void = { try await keepBound(in: session) }
                try await withBackgroundTasks([binding]) {
                    for try await signal in signals { handle(signal, session) }
                }
            }
        } catch {
            // There is none, or it refuses: the person binds `handoffctl continue` to a key instead.
            return
        }
    }

    /// Tells the portal which app this is, as a portal of the version 1.20 or later wants to know.
    private func register() async throws {
        let call = MethodCall(
            destination: Self.portal,
            path: Self.path,
            interface: "org.freedesktop.host.portal.Registry",
            member: "Register",
            arguments: [.string(HandoffName.desktopFile), [String: Value]().value],
            startsService: false
        )
        _ = try? await connection.call(call, timeout: Self.patience)
    }

    private func createSession() async throws -> ObjectPath {
        let options = ["session_handle_token": Value.string("handoff")]
        let results = try await request("CreateSession", token: "session", [], options)
        guard let handle = results["session_handle"]?.string ?? results["session_handle"]?.objectPath?.description
        else {
            throw DBusError(.unexpectedReply, "CreateSession returned no session.")
        }
        return try ObjectPath(handle)
    }

    /// Binds the shortcut, at once if the portal knows it already, and else when the person wants it.
    private func keepBound(in session: ObjectPath) async throws {
        let known = try? await request("ListShortcuts", token: "list", [.objectPath(session)], [:])
        var isWanted = Self.trigger(in: known) != nil
        var seen = wishes.current
        while true {
            if isWanted { try await bind(in: session) } else { state.modify { $0.shortcut = .offered } }
            seen = try await wishes.changed(since: seen)
            isWanted = true
        }
    }

    private func bind(in session: ObjectPath) async throws {
        let properties: [String: Value] = ["description": .string("Continue the activity of another device")]
        let list = Value.array(
            of: .structure([.string, [String: Value].valueType]),
            [.structure([.string(Self.shortcut), properties.value])]
        )
        // The person may take as long as the portal lets them.
        let results = try? await request(
            "BindShortcuts",
            token: "bind",
            [.objectPath(session), list, .string("")],
            [:],
            patience: .seconds(600)
        )
        try Task.checkCancellation()
        let trigger = Self.trigger(in: results)
        state.modify { $0.shortcut = trigger.map(DesktopState.Shortcut.bound) ?? .offered }
    }

    private func handle(_ signal: Signal, _ session: ObjectPath) {
        guard signal.arguments.count >= 2, signal.arguments[0].objectPath == session else { return }
        switch signal.member {
        case "Activated" where signal.arguments[1].string == Self.shortcut:
            activate(signal.arguments.last?.stringDictionary?["activation_token"]?.string)
        case "ShortcutsChanged":
            // The person has chosen other keys in the desktop's settings, or none.
            let trigger = Self.trigger(in: ["shortcuts": signal.arguments[1]])
            state.modify { $0.shortcut = trigger.map(DesktopState.Shortcut.bound) ?? .offered }
        default: break
        }
    }

    /// Calls a method that answers by the signal `Response` of a request; returns its results.
    ///
    /// - Throws: `DBusError` if the portal does not know the method, or the person declines.
    private func request(
        _ member: MemberName,
        token: String,
        _ arguments: [Value],
        _ options: [String: Value],
        patience: Duration = Self.patience
    ) async throws -> [String: Value] {
        let sender = String(connection.uniqueName.description.dropFirst().map { $0 == "." ? "_" : $0 })
        let path = Self.path.appending("request").appending(sender).appending("handoff_\(token)")
        let options = options.merging(["handle_token": .string("handoff_\(token)")]) { own, _ in own }
        let call = MethodCall(
            destination: Self.portal,
            path: Self.path,
            interface: Self.interface,
            member: member,
            arguments: arguments + [options.value],
            startsService: false
        )
        let rule = MatchRule(sender: Self.portal, path: path, member: "Response")
        return try await connection.withSignals(rule) { signals in
            _ = try await connection.call(call, timeout: Self.patience)
            let late = DBusError(.timedOut, "The portal did not answer.")
            return try await withTimeout(patience, throwing: late) {
                for try await signal in signals {
                    guard signal.arguments.first?.uint32 == 0 else { break }
                    return signal.arguments.last?.stringDictionary ?? [:]
                }
                throw DBusError(.cancelled, "The portal has declined.")
            }
        }
    }

    /// The keys of our shortcut in a list of the portal; empty if it does not name them, nil if the list lacks it.
    private static func trigger(in results: [String: Value]?) -> String? {
        for entry in results?["shortcuts"]?.array ?? [] {
            guard let fields = entry.structure, fields.count == 2, fields[0].string == shortcut else { continue }
            return fields[1].stringDictionary?["trigger_description"]?.string ?? ""
        }
        return nil
    }
}
