import AsyncSupport
import DBus
import HandoffBus
private import Glibc
private import Synchronization

/// What a command tells a person at the terminal while a continuation takes long.
struct WaitNotes {
    let client: HandoffClient
    let output: Output
    let activity: NearbyActivityDescription

    /// How long a step may take until it is shown, and how often a new one is looked for.
    private static let interval = Duration.seconds(2)

    /// Runs `body`; meanwhile shows on standard error, if that is a terminal, what it waits for.
    ///
    /// - Throws: what `body` throws; `DBusError` if the bus is lost.
    func during<Success: Sendable>(
        _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        guard isatty(STDERR_FILENO) != 0, !output.isJSON else { return try await body() }
        let (client, output, path) = (client, output, activity.path)
        let name = printable(activity.deviceName)
        let step = Mutex("fetching it from \(name)")
        return try await client.withSignals { signals in
            try await race(body) {
                try await race {
                    for try await signal in signals where signal.path == path {
                        guard let text = Self.text(NearbyActivityEvent.Step(signal), name) else { continue }
                        step.withLock { $0 = text }
                    }
                    try await untilCancelled()
                } _: {
                    var shown = ""
                    while true {
                        try await Task.sleep(for: Self.interval)
                        let text = step.withLock { $0 }
                        if text != shown { output.note("\(text) … (Ctrl-C ends this)") }
                        shown = text
                    }
                }
            }
        }
    }

    private static func text(_ step: NearbyActivityEvent.Step?, _ device: String) -> String? {
        switch step {
        case nil: nil
        case .fetching: "fetching it from \(device)"
        case .synchronising(let document): "waiting until \(printable(document)) is synchronised"
        case .opening(let application):
            application.isEmpty ? "waiting until it is open" : "waiting for \(printable(application))"
        }
    }
}
