import Synchronization

/// How long the reader of a channel has waited for bytes.
///
/// Only the time counts in which somebody waits: a reader that does something else breaks nothing.
final class SilenceTimer: Sendable {
    /// For how long nothing may come.
    let limit: Duration

    /// When the reader began to wait; nil while it does not.
    private let waitingSince = Mutex<ContinuousClock.Instant?>(nil)

    /// Whether the reader has waited for longer than the limit.
    var isOver: Bool {
        waitingSince.withLock { since in since.map { $0.duration(to: .now) > limit } ?? false }
    }

    init(limit: Duration) {
        self.limit = limit
    }

    /// Runs `body`, which waits for bytes.
    func whileWaiting<Success>(_ body: () async throws -> Success) async rethrows -> Success {
        waitingSince.withLock { $0 = .now }
        defer { waitingSince.withLock { $0 = nil } }
        return try await body()
    }
}
