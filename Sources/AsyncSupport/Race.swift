/// Runs two operations concurrently and returns or throws what the first of them to end returns or throws.
///
/// The other one is cancelled and awaited, and its result or error is dropped. When the calling task is cancelled, both
/// are cancelled, and still the first to end counts.
package func race<Success: Sendable>(
    _ one: @escaping @Sendable () async throws -> Success,
    _ other: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withThrowingTaskGroup(of: Success.self) { group in
        group.addTask { try await one() }
        group.addTask { try await other() }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}
