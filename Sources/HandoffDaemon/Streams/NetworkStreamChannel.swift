import HandoffCore
import Synchronization

/// A connection over the local network that carries a stream.
///
/// A network can vanish without a word, and the kernel notices that after a quarter of an hour only. So the other side
/// sends something every ``aliveInterval``, and a reader that hears nothing for ``silenceLimit`` gives the connection up.
final class NetworkStreamChannel: StreamChannel {
    /// How often a side says that it is still there, also over the radio.
    static let aliveInterval = Duration.seconds(4)
    /// After how much time without any bytes the network counts as lost: three of the other side's words.
    static let silenceLimit = Duration.seconds(12)

    private let connection: TCPConnection
    private let silence = SilenceTimer(limit: silenceLimit)
    /// Whether the connection was closed for its silence.
    private let isSilent = Mutex(false)

    init(_ connection: TCPConnection) {
        self.connection = connection
    }

    func sendAll(_ bytes: [UInt8]) async throws { try await connection.send(bytes) }

    func receive() async throws -> [UInt8]? {
        do {
            return try await silence.whileWaiting {
                try await connection.receive(atMost: StreamReceiver.networkReadBytes)
            }
        } catch {
            guard !isSilent.withLock(\.self) else {
                throw NetworkError(.connectionLost, "The local network is gone: nothing came for \(Self.silenceLimit).")
            }
            throw error
        }
    }

    /// Closes the connection if the reader has waited for too long.
    func closeIfSilent() {
        guard silence.isOver else { return }
        isSilent.withLock { $0 = true }
        connection.close()
    }
}
