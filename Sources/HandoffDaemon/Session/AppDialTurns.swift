import AsyncSupport
import DBus

/// Lets the dials that apps cause go one at a time.
///
/// An app in a sandbox may ask for streams of a device that has gone, on many connections and again and again, and each
/// dial takes as long as its time limit. So only one such dial is made at a time: whatever else has to be dialled waits
/// for one of them at most. Each connection has one place in the line, however many calls it makes.
final class AppDialTurns: Sendable {
    private let clients = KeyedAsyncMutex<BusName>()
    private let all = AsyncMutex()

    /// Runs `body` when it is the client's turn, which ends when `body` calls its argument or has ended.
    ///
    /// - Throws: what `body` throws; `CancellationError` when the task is cancelled while it waits.
    func withTurn<Success: Sendable>(
        of client: BusName,
        _ body: @Sendable (_ endTurn: @escaping @Sendable () -> Void) async throws -> Success
    ) async throws -> Success {
        let (begin, end) = (Promise<Void>(), Promise<Void>())
        let turn: @Sendable () async throws -> Void = { [clients, all] in
            try await clients.withLock(for: client) {
                try await all.withLock {
                    begin.fulfil(())
                    try await end.value()
                }
            }
        }
        return try await withBackgroundTasks([turn]) {
            try await begin.value()
            return try await body { end.fulfil(()) }
        }
    }
}
