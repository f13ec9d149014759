import AsyncSupport
import UnixSignals

/// Runs `body` until it ends, or until SIGINT or SIGTERM asks the command to end; then `body` is cancelled and awaited.
func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    try await race(body) {
        for await _ in signals { return }
    }
}
