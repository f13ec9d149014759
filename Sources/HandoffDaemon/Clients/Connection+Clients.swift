import AsyncSupport
import DBus

/// Work for a client that waits for it.
extension Connection {
    /// Runs `body` with a function that returns when the client leaves the bus; for a nil client it never does.
    ///
    /// - Throws: what `body` throws; `DBusError` when the bus does not answer.
    func withDeparture<Success: Sendable>(
        of client: BusName?,
        _ body: (_ departure: @escaping @Sendable () async throws -> Void) async throws -> Success
    ) async throws -> Success {
        guard let client else { return try await body { try await untilCancelled() } }
        return try await withOwner(of: client) { owners in
            try await body {
                for await owner in owners where owner == nil { return }
                try await untilCancelled()
            }
        }
    }
}
