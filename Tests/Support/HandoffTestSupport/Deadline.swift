import AsyncSupport
import TestRuns

/// An operation did not end in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    package let description: String
}

/// Runs `body`, and cancels it after `limit`, which is far longer than it should take.
package func within<Success: Sendable>(
    _ limit: Duration,
    _ message: String,
    at place: String = #fileID,
    line: Int = #line,
    _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withTimeout(limit, throwing: DeadlineExceeded(description: message)) {
        try await awaiting("an operation with its own limit (\(message))", at: place, line: line) { try await body() }
    }
}
