/// Waits until the task is cancelled.
///
/// - Throws: `CancellationError`, always.
package func untilCancelled() async throws(CancellationError) -> Never {
    // No code fulfils this promise, so the first wait ends with the error.
    let never = Promise<Void>()
    while true { try await never.value() }
}
