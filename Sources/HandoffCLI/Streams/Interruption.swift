import AsyncSupport
import Epoll
private import Glibc

/// The interruptions of a command by a person or by the system: SIGINT and SIGTERM.
struct Interruptions: Sendable {
    private let signals: SignalStream

    /// Runs `body`, during which interruptions do not end the process.
    ///
    /// - Throws: what `body` throws; `Errno` if signals cannot be handled.
    static func handled<Success: Sendable>(
        by body: (Interruptions) async throws -> Success
    ) async throws -> Success {
        try await Reactor.withReactor { reactor in
            try await body(Interruptions(signals: try SignalStream([SIGINT, SIGTERM], on: reactor)))
        }
    }

    /// Waits for the next interruption; returns the exit status of a command that it ends.
    func next() async throws(CancellationError) -> ExitStatus {
        do {
            return try await signals.next() == SIGTERM ? .terminated : .interrupted
        } catch {
            throw CancellationError()
        }
    }
}

/// Runs `body` until it returns or SIGINT or SIGTERM arrives; on a signal, cancels `body` and waits for its end.
///
/// - Returns: the exit status of a command that the signal has ended early; nil if `body` has returned.
@discardableResult
func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws -> ExitStatus? {
    try await Interruptions.handled { interruptions in
        try await race {
            try await body()
            return nil
        } _: {
            try await interruptions.next()
        }
    }
}
