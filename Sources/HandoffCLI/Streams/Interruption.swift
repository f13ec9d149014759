import AsyncSupport
import UnixSignals

/// Runs `body` until it returns or SIGINT or SIGTERM arrives; on a signal, cancels `body` and waits for its end.
func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    try await race(body) {
        for await _ in signals { return }
    }
}
