import AsyncSupport
import UnixSignals

/// Runs `body` until it returns or SIGINT or SIGTERM arrives; on a signal, cancels `body` and waits for its end.
///
/// - Returns: the exit status of a command that the signal has ended early; nil if `body` has returned.
@discardableResult
func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws -> ExitStatus? {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    return try await race {
        try await body()
        return nil
    } _: {
        for await signal in signals { return signal == .sigterm ? .terminated : .interrupted }
        return nil
    }
}
