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
        let process: UInt32
    }

    /// A connection to the session bus, which knows the address of the other.
    let connection: Connection

    /// Follows the focus until cancelled, on each bus for accessibility that comes; none is started.
    ///
    /// - Parameter change: is called with the process that has the focus after each change; with nil when it is unknown.
    /// - Throws: `DBusError` when the session bus is lost.
    func follow(_ change: @escaping @Sendable (UInt32?) -> Void) async throws {
        try await connection.withOwner(of: Self.launcher) { owners in
            for await owner in owners where owner != nil {
                // One that refuses or ends leaves the focus unknown.
                try? await withAccessibilityBus { try await follow(on: $0, change) }
                change(nil)
            }
        }
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

    private func follow(on bus: Connection, _ change: @escaping @Sendable (UInt32?) -> Void) async throws {
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
                        active.set(Active(app: app, process: process))
                    case "deactivate": active.set(nil) { $0?.app == app }
                    default: break
                    }
                }
            }
        }
    }

    /// Forgets that an app has the focus when it leaves the bus: one that ends need not tell.
    private func forgetEnded(_ active: CurrentValue<Active?>, on bus: Connection) async throws {
        var seen = active.initial
        while true {
            let now = seen
            seen = try await race {
                try await active.changed(since: now)
            } _: {
                if let app = now.value?.app {
                    try await bus.withOwner(of: app) { owners in
                        for await owner in owners where owner == nil { active.set(nil) { $0?.app == app } }
                    }
                }
                return try await active.changed(since: now)
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

    private func report(_ active: CurrentValue<Active?>, _ change: (UInt32?) -> Void) async throws {
        var seen = active.initial
        while true {
            seen = try await active.changed(since: seen)
            if seen.value == nil {
                var lingering = Backoff(first: Self.linger, longest: Self.linger)
                let next = try await lingering.wait(orUntil: active, changesSince: seen)
                guard next.version == seen.version else { continue }
            }
            change(seen.value?.process)
        }
    }
}
