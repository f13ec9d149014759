import AsyncSupport
import HandoffCore
import HandoffModel
import HandoffRadio

/// Who may be connected at once: strangers, callers and streams have places of their own, so that none of them keeps the
/// others out.
///
/// Whoever has not said yet who it is, is a stranger; whoever has, but may be replaying what another one said, is a caller.
/// Of both, a newcomer takes the place of a longer stay. A stream was confirmed by its peer, and stays.
final class ConnectionAdmission: Sendable {
    /// How many strangers: they have two seconds, and a trusted device needs a fraction of one.
    private static let maximumUnauthenticated = 16
    /// How many callers: enough for all of a person's devices to fetch together.
    private static let maximumAuthenticated = 24
    /// How many streams.
    private static let maximumStreams = 24

    /// How many channels are open at once at most, with some that are being closed.
    static let maximumChannels = maximumUnauthenticated + maximumAuthenticated + maximumStreams + 8

    /// Seats for those who have not said yet who they are.
    let unauthenticated = ConnectionLimiter<RadioAddress>(limit: maximumUnauthenticated)
    /// Seats for those who ask in the name of a trusted device.
    let authenticated = ConnectionLimiter<DeviceID>(limit: maximumAuthenticated)

    private let streams = CountingSemaphore(maximumStreams)

    /// Whether one more stream can be carried.
    var hasRoomForStream: Bool { streams.availablePermits > 0 }

    /// Runs `body` for a stream.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when there are too many; else what `body` throws.
    func withStream(_ body: () async throws -> Void) async throws {
        guard streams.tryAcquire() else { throw HandoffError(.limitReached, "Too many continuation streams are open.") }
        defer { streams.release() }
        try await body()
    }
}
