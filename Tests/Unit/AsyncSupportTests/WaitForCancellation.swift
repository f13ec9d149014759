import AsyncSupport

/// Waits until the task is cancelled, and throws then; unlike `untilCancelled()`, with a result that is not `Never`.
func waitForCancellation() async throws {
    try await untilCancelled()
}
