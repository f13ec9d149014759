import AsyncSupport
import HandoffCore
import HandoffWire
import Synchronization

/// The sending direction of a stream, which several tasks use and which may move from the radio to the network.
final class StreamOutput: Sendable {
    private struct State {
        var channel: any StreamChannel
        var sender: StreamSender
        /// Whether the last piece has been sent.
        var isFinished = false
    }

    /// What decides whether data may be sent.
    private struct Room {
        var window = StreamWindow()
        var isOnNetwork = false

        var isThere: Bool { isOnNetwork || window.hasRoom }
    }

    private let state: Mutex<State>
    private let room = CurrentValue(Room())
    /// Held while a piece is sent.
    private let turn = AsyncMutex()

    /// How many bytes of the stream may be sent at a time now: one piece over the radio, some over the network.
    var maximumDataBytes: Int {
        room.value.isOnNetwork ? Self.networkPieces * StreamPiece.maximumNetworkDataBytes : StreamPiece.maximumDataBytes
    }

    /// How many full pieces go over the network with one system call: each call costs a wake-up here and at the app.
    private static let networkPieces = 4

    init(_ channel: any StreamChannel, _ sender: StreamSender) {
        state = Mutex(State(channel: channel, sender: sender))
    }

    /// Waits until a data piece may be sent; for the one task that sends data.
    ///
    /// Over the radio that is when the other side has taken enough of those before, over the network always: TCP has a
    /// window of its own.
    ///
    /// - Throws: `CancellationError`.
    func waitForRoom() async throws {
        var now = room.current
        while !now.value.isThere { now = try await room.changed(since: now) }
    }

    /// The other side has taken a data piece that came over the radio.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when there is none.
    func take() throws {
        try changeRoom { try $0.window.remove() }
    }

    /// Sends a piece other than data.
    ///
    /// - Throws: the errors of the channel and of `StreamSender`.
    func send(_ piece: StreamPiece) async throws {
        try await turn.withLock { try await transmit(piece) }
    }

    /// Sends at most ``maximumDataBytes`` of the stream; only after ``waitForRoom()``.
    ///
    /// - Throws: the errors of the channel and of `StreamSender`.
    func send(data: [UInt8]) async throws {
        try await turn.withLock {
            // Data over the network needs no room. What was read for the radio is one piece over either.
            try changeRoom { if !$0.isOnNetwork { try $0.window.add() } }
            let (channel, bytes) = try state.withLock { state in
                (state.channel, try state.sender.encode(data: data, atMost: StreamPiece.maximumNetworkDataBytes))
            }
            try await channel.sendAll(bytes)
        }
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
            }
            room.modify { $0.isOnNetwork = true }
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

    private func changeRoom(_ change: (inout Room) throws -> Void) throws {
        var result = Result<Void, any Error>.success(())
        room.modify { room in result = Result { try change(&room) } }
        try result.get()
    }
}
