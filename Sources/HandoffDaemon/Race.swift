/// The result of whichever of two operations ends first; the other is cancelled and awaited.
package func first<Success: Sendable>(
    _ one: @escaping @Sendable () async throws -> Success,
    or other: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withThrowingTaskGroup(of: Success.self) { group in
        group.addTask { try await one() }
        group.addTask { try await other() }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}

/// Runs `body` for at most `limit`; past it, cancels and awaits it and throws `error`.
package func withDeadline<Success: Sendable>(
    _ limit: Duration,
    orThrow error: @autoclosure @escaping @Sendable () -> any Error,
    _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await first(body) {
        try await Task.sleep(for: limit)
        throw error()
    }
}

/// Runs the life of a service, for which being cancelled is a way to end and not an error.
func ignoringCancellation(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch is CancellationError {
        return
    }
}

/// Waits until the task is cancelled.
///
/// - Throws: `CancellationError`, always.
func untilCancelled() async throws -> Never {
    let (never, continuation) = AsyncStream<Never>.makeStream()
    // Held until the stream was cancelled: a stream without a continuation ends at once.
    defer { continuation.finish() }
    for await _ in never {}
    throw CancellationError()
}
