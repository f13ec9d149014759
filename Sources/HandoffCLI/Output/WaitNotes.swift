import AsyncSupport
import DBus
private import Glibc
import HandoffBus

/// What a command tells a person at the terminal while a continuation takes long.
struct WaitNotes {
    let client: HandoffClient
    let output: Output
    let activity: NearbyActivityDescription

    /// How long a continuation may take until its steps are shown.
    private static let patience = Duration.seconds(2)

    /// Runs `body`; meanwhile shows on standard error, if that is a terminal, what it waits for.
    ///
    /// - Throws: what `body` throws; `DBusError` if the bus is lost.
    func during<Success: Sendable>(
        _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        guard isatty(STDERR_FILENO) != 0, !output.isJSON else { return try await body() }
        let (client, output, path) = (client, output, activity.path)
        let name = printable(activity.deviceName)
        let step = CurrentValue("fetching it from \(name)")
        return try await client.withSignals { signals in
            try await race(body) {
                try await race {
                    for try await signal in signals where signal.path == path {
                        guard let text = Self.text(NearbyActivityEvent.Step(signal), name) else { continue }
                        step.update(text)
                    }
                    try await untilCancelled()
                } _: {
                    try await sleep(for: Self.patience)
                    var shown = step.current
                    while true {
                        output.note("\(shown.value) … (Ctrl-C ends this)")
                        shown = try await step.changed(since: shown)
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
