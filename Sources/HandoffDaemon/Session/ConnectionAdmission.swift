import AsyncSupport
import HandoffCore
import HandoffModel
import HandoffRadio

/// The limits on simultaneous connections: unauthenticated peers, callers and streams have separate limits, so that
/// none of them can keep the others out.
///
/// A peer is unauthenticated until it has sent a request under a trusted device's key; then it is a caller.
/// Unauthenticated peers wait for their turn (`HandshakeQueue`); a new caller evicts the oldest connection of the device
/// that has the most. A stream is not evicted.
final class ConnectionAdmission: Sendable {
    /// The limit of callers: enough for all of a user's devices to fetch at the same time.
    private static let maximumAuthenticated = 24
    /// The limit of streams.
    private static let maximumStreams = 24

    /// The limit of open channels, including some that are being closed.
    static let maximumChannels = maximumHandshakes + maximumAuthenticated + maximumStreams + 8

    /// The limit of unauthenticated peers, including those that wait.
    private static let maximumHandshakes =
        HandshakeQueue<RadioAddress>.places + HandshakeQueue<RadioAddress>.reservedPlaces
        + HandshakeQueue<RadioAddress>.maximumWaiting

    /// The turns of peers that have not authenticated yet.
    let handshakes = HandshakeAdmission()
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
