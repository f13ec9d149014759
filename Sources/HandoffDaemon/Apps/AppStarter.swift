import AsyncSupport
import DBus
import HandoffApps

/// Starts apps on the bus that the bus cannot start, by the command lines of their desktop files.
struct AppStarter: Sendable {
    let connection: Connection
    let apps: AppTracker
    /// The time limit for an app to come to the bus after its start.
    private static let startLimit = Duration.seconds(10)
    /// An app that is being started is not started a second time.
    private let starting = KeyedAsyncMutex<String>()

    init(connection: Connection, apps: AppTracker) {
        self.connection = connection
        self.apps = apps
    }

    /// Makes a call to an app; if the app does not run and the bus cannot start it, starts it and makes the call again.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - app: the app.
    ///   - activationToken: the token with which the app may take the focus; nil for none.
    ///   - limit: the time limit for each call.
    /// - Throws: the error of the first call if the app has no command line or does not come to the bus in time; else
    ///   that of the second.
    func call(
        _ call: MethodCall,
        to app: App,
        activationToken: String?,
        limit: Duration
    ) async throws(DBusError) -> [Value] {
        do {
            return try await connection.call(call, timeout: limit)
        } catch {
            guard error.indicatesAbsentService, let command = app.command,
                let launch = try? apps.documentApps.launcher.launch(command)
            else { throw error }
            let hasStarted = try? await start(launch, as: call.destination, activationToken)
            guard hasStarted == true else { throw error }
            return try await connection.call(call, timeout: limit)
        }
    }

    /// Runs a command, and waits until the name of its app is on the bus.
    ///
    /// - Returns: false when the name is not there within ``startLimit``, or the command could not be run or failed first.
    /// - Throws: `CancellationError` when the task is cancelled; `DBusError` when the bus is gone.
    private func start(
        _ launch: AppLaunch,
        as name: BusName,
        _ activationToken: String?
    ) async throws -> Bool {
        try await starting.withLock(for: name.description) {
            try await connection.withOwner(of: name) { owners in
                // Another continuation may have started it meanwhile; the first owner is the present one.
                var iterator = owners.makeAsyncIterator()
                if case .some(.some) = await iterator.next() { return true }
                let program = LaunchedProgram.app(launch, of: name.description, activationToken)
                guard let running = try? await apps.launch(program, over: connection) else { return false }
                return try await withTimeout(Self.startLimit) {
                    try await race {
                        for await owner in owners where owner != nil { return true }
                        throw CancellationError()
                    } _: {
                        // A program that passes the call on to a running instance ends with 0.
                        guard try await running.end.value() == 0 else { return false }
                        try await untilCancelled()
                    }
                } ?? false
            }
        }
    }
}
