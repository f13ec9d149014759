import AsyncSupport
import HandoffCore
import HandoffWire
import Synchronization

/// The sending direction of a stream, which several tasks use and which may move from the radio to the network.
final class StreamOutput: Sendable {
    private struct State {
        var channel: any StreamChannel
        var sender: StreamSender
        var maximumDataBytes = StreamPiece.maximumDataBytes
        /// Whether the last piece has been sent.
        var isFinished = false
    }

    private let state: Mutex<State>
    /// Held while a piece is sent.
    private let turn = AsyncMutex()

    /// How many bytes of the stream one piece may carry now.
    var maximumDataBytes: Int { state.withLock(\.maximumDataBytes) }

    init(_ channel: any StreamChannel, _ sender: StreamSender) {
        state = Mutex(State(channel: channel, sender: sender))
    }

    /// Sends a piece.
    ///
    /// - Throws: the errors of the channel and of `StreamSender`.
    func send(_ piece: StreamPiece) async throws {
        try await turn.withLock { try await transmit(piece) }
    }

    /// Sends that nothing else is to be sent, unless everything has been sent already.
    func sendAlive() async throws {
        try await turn.withLock {
            guard !state.withLock(\.isFinished) else { return }
            try await transmit(.alive)
        }
    }

    /// Sends a move as the last piece over the radio; the next piece goes over the network.
    ///
    /// - Returns: false when the last piece has been sent, after which `isCaller` must not move.
    func move(to route: NetworkRoute, isCaller: Bool) async throws -> Bool {
        try await turn.withLock {
            guard !isCaller || !state.withLock(\.isFinished) else { return false }
            try await transmit(.move(route.id))
            state.withLock { state in
                state.channel = route.channel
                state.sender = StreamSender(cipher: route.proven.sending)
                state.maximumDataBytes = StreamPiece.maximumNetworkDataBytes
            }
            return true
        }
    }

    private func transmit(_ piece: StreamPiece) async throws {
        let (channel, bytes) = try state.withLock { state in
            if piece == .arrived { state.isFinished = true }
            return (state.channel, try state.sender.encode(piece))
        }
        try await channel.sendAll(bytes)
    }
}
