/// What `work` gives or throws, as a value: for what must go on in either case.
package func outcome<Success: Sendable>(
    of work: () async throws -> Success,
    isolation: isolated (any Actor)? = #isolation
) async -> Result<Success, any Error> {
    do { return .success(try await work()) } catch { return .failure(error) }
}

/// Runs `work` and cancels it after `limit`.
///
/// What it gives although it was cancelled goes to `discard`: nobody else will ever see it.
///
/// - Returns: what it gave; nil when it was cancelled by then.
/// - Throws: what it throws before that.
package func withTimeLimit<Success: Sendable>(
    _ limit: Duration,
    discarding discard: @Sendable (Success) -> Void = { _ in },
    _ work: @escaping @Sendable () async throws -> Success
) async throws -> Success? {
    try await withThrowingTaskGroup(of: Success?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        let first = await group.nextResult()
        group.cancelAll()
        while let late = await group.nextResult() {
            if case .success(let value?) = late { discard(value) }
        }
        return try first?.get() ?? nil
    }
}
