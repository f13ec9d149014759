import LocalNetwork
import Synchronization

/// A connection over the local network that carries a stream.
///
/// A network can vanish without a word, and the kernel notices that after a quarter of an hour only. So the other side
/// sends something every ``aliveInterval``, and a reader that hears nothing for ``silenceLimit`` gives the connection up.
/// Only the time counts in which somebody waits for bytes: an app that does not read breaks nothing.
final class NetworkStreamChannel: StreamChannel {
    private struct State {
        /// When the reader began to wait; nil while it does not.
        var waitingSince: ContinuousClock.Instant?
        var isSilent = false
    }

    /// How often a side says that it is still there, also over the radio.
    static let aliveInterval = Duration.seconds(4)
    /// After how much time without any bytes the network counts as lost: three of the other side's words.
    static let silenceLimit = Duration.seconds(12)

    /// The most bytes of one read: with an incomplete frame they fit a `FrameDecoder`.
    private static let readBytes = 65_535

    private let connection: TCPConnection
    private let state = Mutex(State())

    init(_ connection: TCPConnection) {
        self.connection = connection
    }

    func sendAll(_ bytes: [UInt8]) async throws { try await connection.send(bytes) }

    func receive() async throws -> [UInt8]? {
        state.withLock { $0.waitingSince = .now }
        defer { state.withLock { $0.waitingSince = nil } }
        do {
            return try await connection.receive(atMost: Self.readBytes)
        } catch {
            guard !state.withLock(\.isSilent) else {
                throw NetworkError(.connectionLost, "The local network is gone: nothing came for \(Self.silenceLimit).")
            }
            throw error
        }
    }

    /// Closes the connection if the reader has waited for too long.
    func closeIfSilent() {
        let isSilent = state.withLock { state in
            guard let since = state.waitingSince, since.duration(to: .now) > Self.silenceLimit else { return false }
            state.isSilent = true
            return true
        }
        if isSilent { connection.close() }
    }
}
