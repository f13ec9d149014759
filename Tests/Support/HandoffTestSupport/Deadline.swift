import TestRuns

/// Something did not happen in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    package let description: String
}

/// Runs `body`, and gives it up after `limit`: for what should have happened long before.
package func within<Success: Sendable>(
    _ limit: Duration,
    _ complaint: String,
    at place: String = #fileID,
    line: Int = #line,
    _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withThrowingTaskGroup(of: Success.self) { group in
        group.addTask {
            try await awaiting("what has its own limit (\(complaint))", at: place, line: line) { try await body() }
        }
        group.addTask {
            try await Task.sleep(for: limit)
            throw DeadlineExceeded(description: complaint)
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}
