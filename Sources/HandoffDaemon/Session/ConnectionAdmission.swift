import HandoffCore
import HandoffModel
import HandoffRadio
import Synchronization

/// The limits on simultaneous connections: unauthenticated peers, callers and streams have separate limits, so that
/// none of them can keep the others out.
///
/// A peer is unauthenticated until it has sent a request under a trusted device's key; then it is a caller.
/// Unauthenticated peers wait for their turn (`HandshakeQueue`); a new caller evicts the oldest connection of the device
/// that has the most. A stream is not evicted, so a device may have a third of them only.
final class ConnectionAdmission: Sendable {
    /// The limit of callers: enough for all of a user's devices to fetch at the same time.
    private static let maximumAuthenticated = 24
    /// The limit of streams.
    private static let maximumStreams = 24
    /// The limit of streams of one device.
    static let maximumStreamsPerDevice = 8

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

    private let exchanges = Mutex(ExchangeLimit())
    /// The number of open streams of each device that has any.
    private let streams = Mutex<[DeviceID: Int]>([:])

    /// Counts an exchange of circles that a trusted device begins; returns false when it has begun too many.
    func admitsExchange(with device: DeviceID) -> Bool {
        exchanges.withLock { $0.admit(device, at: Moment.now.uptime) }
    }

    /// Returns whether one more stream of a device can be opened.
    func hasRoomForStream(of device: DeviceID) -> Bool { streams.withLock { Self.hasRoom(in: $0, for: device) } }

    /// Runs `body` for a stream of a device, counted against the limits.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when too many streams are open; else what `body` throws.
    func withStream(of device: DeviceID, _ body: () async throws -> Void) async throws {
        let isAdmitted = streams.withLock { streams in
            guard Self.hasRoom(in: streams, for: device) else { return false }
            streams[device, default: 0] += 1
            return true
        }
        guard isAdmitted else { throw HandoffError(.limitReached, "Too many continuation streams are open.") }
        defer { streams.withLock { $0[device] = $0[device].flatMap { $0 > 1 ? $0 - 1 : nil } } }
        try await body()
    }

    private static func hasRoom(in streams: [DeviceID: Int], for device: DeviceID) -> Bool {
        streams.values.reduce(0, +) < maximumStreams && streams[device, default: 0] < maximumStreamsPerDevice
    }
}
