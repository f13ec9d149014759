import AsyncSupport
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
    try await withTimeout(limit, throwing: DeadlineExceeded(description: complaint)) {
        try await awaiting("what has its own limit (\(complaint))", at: place, line: line) { try await body() }
    }
}
