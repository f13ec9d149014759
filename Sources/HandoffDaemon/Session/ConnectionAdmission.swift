import AsyncSupport
import HandoffCore
import HandoffModel
import HandoffRadio

/// The limits on simultaneous connections: unauthenticated peers, callers and streams have separate limits, so that
/// none of them can keep the others out.
///
/// A peer is unauthenticated until it has sent a request under a trusted device's key; then it is a caller. In both
/// groups, a new peer evicts the oldest connection of the owner that has the most. A stream is not evicted.
final class ConnectionAdmission: Sendable {
    /// The limit of unauthenticated peers: each has two seconds, and a trusted device needs a fraction of one.
    private static let maximumUnauthenticated = 16
    /// The limit of callers: enough for all of a user's devices to fetch at the same time.
    private static let maximumAuthenticated = 24
    /// The limit of streams.
    private static let maximumStreams = 24

    /// The limit of open channels, including some that are being closed.
    static let maximumChannels = maximumUnauthenticated + maximumAuthenticated + maximumStreams + 8

    /// The limiter for peers that have not authenticated yet.
    let unauthenticated = ConnectionLimiter<RadioAddress>(limit: maximumUnauthenticated)
    /// The limiter for peers that send requests as a trusted device.
    let authenticated = ConnectionLimiter<DeviceID>(limit: maximumAuthenticated)

    private let streams = CountingSemaphore(maximumStreams)

    /// Whether one more stream can be opened.
    var hasRoomForStream: Bool { streams.availablePermits > 0 }

    /// Runs `body` for a stream, counted against the limit.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when too many streams are open; else what `body` throws.
    func withStream(_ body: () async throws -> Void) async throws {
        guard streams.tryAcquire() else { throw HandoffError(.limitReached, "Too many continuation streams are open.") }
        defer { streams.release() }
        try await body()
    }
}
