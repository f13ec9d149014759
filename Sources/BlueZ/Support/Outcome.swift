/// What `work` gives or throws, as a value: for what must go on in either case.
package func outcome<Success: Sendable>(
    of work: () async throws -> Success,
    isolation: isolated (any Actor)? = #isolation
) async -> Result<Success, any Error> {
    do { return .success(try await work()) } catch { return .failure(error) }
}

/// Runs `work` and cancels it after `limit`.
///
/// - Returns: what it gave; nil when it was cancelled by then.
/// - Throws: what it throws before that.
package func withTimeLimit<Success: Sendable>(
    _ limit: Duration,
    _ work: @escaping @Sendable () async throws -> Success
) async throws -> Success? {
    try await withThrowingTaskGroup(of: Success?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}
