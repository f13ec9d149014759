import AsyncSupport
import DBus

/// Registers the tray item with the desktop's `org.kde.StatusNotifierWatcher`, and again when that comes back.
struct TrayRegistration: Sendable {
    private static let watcher: BusName = "org.kde.StatusNotifierWatcher"
    /// The time that a watcher has to answer.
    private static let patience = Duration.seconds(10)

    let connection: Connection

    /// Runs until cancelled; without a watcher, it waits for one.
    func run() async throws {
        try await connection.withOwner(of: Self.watcher) { owners in
            for await owner in owners where owner != nil { await register() }
        }
        try await untilCancelled()
    }

    private func register() async {
        let call = MethodCall(
            destination: Self.watcher,
            path: "/StatusNotifierWatcher",
            interface: "org.kde.StatusNotifierWatcher",
            member: "RegisterStatusNotifierItem",
            arguments: [.string(connection.uniqueName.description)],
            startsService: false
        )
        // A watcher that refuses shows no item; the next one is asked again.
        _ = try? await connection.call(call, timeout: Self.patience)
    }
}
