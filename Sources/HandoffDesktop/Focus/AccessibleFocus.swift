import AsyncSupport
import DBus

/// Which process has the window with the focus, as the apps themselves tell on the bus for accessibility (AT-SPI).
///
/// Not all tell: those of GTK do, those of Qt and browsers only while a program such as a screen reader runs. While one has
/// the focus that says nothing, it is unknown.
struct AccessibleFocus: Sendable {
    private static let launcher: BusName = "org.a11y.Bus"
    private static let registry: BusName = "org.a11y.atspi.Registry"
    private static let events: InterfaceName = "org.a11y.atspi.Event.Window"
    /// How long it stays known which window had the focus after it has lost it: the next one tells a moment later.
    private static let linger = Duration.milliseconds(500)
    private static let patience = Duration.seconds(10)

    /// An app on the bus for accessibility whose window has the focus.
    private struct Active: Hashable, Sendable {
        let app: BusName
        let window: ObjectPath
        let process: UInt32
    }

    /// A connection to the session bus, which knows the address of the other.
    let connection: Connection

    /// Follows the focus until the bus for accessibility ends; waits for it first, and does not start it.
    ///
    /// - Parameter change: is called after each change.
    /// - Throws: `DBusError` when there is an error on one of the buses, `CancellationError`.
    func follow(_ change: @escaping @Sendable (FocusReport) -> Void) async throws {
        try await connection.withOwner(of: Self.launcher) { owners in
            for await owner in owners where owner != nil { return }
        }
        try await withAccessibilityBus { try await follow(on: $0, change) }
    }

    private func withAccessibilityBus(_ body: @escaping @Sendable (Connection) async throws -> Void) async throws {
        let call = MethodCall(
            destination: Self.launcher,
            path: "/org/a11y/bus",
            interface: "org.a11y.Bus",
            member: "GetAddress",
            startsService: false
        )
        let reply = try await connection.call(call, timeout: Self.patience)
        let address = BusAddress.address(try reply.decode(at: 0, as: String.self))
        try await Connection.withConnection(to: address, body)
    }

    private func follow(on bus: Connection, _ change: @escaping @Sendable (FocusReport) -> Void) async throws {
        let active = CurrentValue<Active?>(nil)
        let followers: [@Sendable () async throws -> Void] = [
            { try await report(active, change) }, { try await forgetEnded(active, on: bus) },
        ]
        try await withBackgroundTasks(followers) {
            try await bus.withSignals(MatchRule(interface: Self.events)) { signals in
                for event in ["window:activate", "window:deactivate"] { try await register(event, on: bus) }
                for try await signal in signals {
                    guard let app = signal.sender else { continue }
                    // GTK 4 has no capitals in the names.
                    switch signal.member.description.lowercased() {
                    case "activate":
                        guard let process = try? await bus.processID(of: app) else { continue }
                        active.set(Active(app: app, window: signal.path, process: process))
                    case "deactivate": active.set(nil) { $0?.app == app && $0?.window == signal.path }
                    default: break
                    }
                }
            }
        }
    }

    /// Forgets which window has the focus when it or its app ends, of which no app tells as it tells of other changes.
    private func forgetEnded(_ active: CurrentValue<Active?>, on bus: Connection) async throws {
        var seen = active.initial
        while true {
            let now = seen
            seen = try await race {
                try await active.changed(since: now)
            } _: {
                if let window = now.value {
                    try await waitForEnd(of: window, on: bus)
                    active.set(nil) { $0 == window }
                }
                return try await active.changed(since: now)
            }
        }
    }

    private func waitForEnd(of window: Active, on bus: Connection) async throws {
        let rule = MatchRule(
            sender: window.app,
            path: window.window,
            interface: "org.a11y.atspi.Event.Object",
            member: "StateChanged",
            arg0: "defunct"
        )
        try await race {
            try await bus.withSignals(rule) { signals in for try await _ in signals { return } }
        } _: {
            try await bus.withOwner(of: window.app) { owners in for await owner in owners where owner == nil { return }
            }
        }
    }

    /// Has apps tell about events of a kind, as those of GTK 3 do only if somebody wants to know.
    private func register(_ event: String, on bus: Connection) async throws {
        let call = MethodCall(
            destination: Self.registry,
            path: "/org/a11y/atspi/registry",
            interface: "org.a11y.atspi.Registry",
            member: "RegisterEvent",
            arguments: [.string(event)]
        )
        _ = try await bus.call(call, timeout: Self.patience)
    }

    private func report(_ active: CurrentValue<Active?>, _ change: (FocusReport) -> Void) async throws {
        var seen = active.initial
        while true {
            seen = try await active.changed(since: seen)
            if seen.value == nil {
                var lingering = Backoff(first: Self.linger, longest: Self.linger)
                let next = try await lingering.wait(orUntil: active, changesSince: seen)
                guard next.version == seen.version else { continue }
            }
            change(seen.value.map { .process($0.process) } ?? .unknown)
        }
    }
}
