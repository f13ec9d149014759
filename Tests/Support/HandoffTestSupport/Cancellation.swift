/// Waits until the task is cancelled, and throws `CancellationError`.
package func cancellation() async throws {
    let (never, continuation) = AsyncStream<Never>.makeStream()
    // Held until the end, since a stream without a continuation ends at once.
    defer { continuation.finish() }
    for await _ in never {}
    throw CancellationError()
}
