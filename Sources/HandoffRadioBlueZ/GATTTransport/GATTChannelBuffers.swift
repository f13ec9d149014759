import HandoffRadio

/// The state of one end of a GATT channel: received data, data to send, and how the channel ended.
///
/// It is pure, and the same on both sides. Frames and their answers alternate strictly, so the window is simply the
/// free room: the other side sends no more than that before it gets a new window.
struct GATTChannelBuffers {
    /// The most received bytes buffered for a slow reader; together with ``sendLimit``, all the memory of a channel.
    static let capacity = 4096

    /// The most bytes buffered for a slow peer before a writer must wait.
    static let sendLimit = 4 * GATTFrame.maximumDataLength

    private var incoming: [UInt8] = []
    private var outgoing: [UInt8] = []
    private(set) var isClosed = false
    private var hasSentEnd = false
    private var hasPeerEnded = false
    private var loss: RadioError?
    private var advertisedWindow = 0
    private var peerWindow = 0
    private var hasNotified = false

    /// Whether the channel has ended: nothing is sent or received any more.
    var isOver: Bool { hasPeerEnded || loss != nil || (isClosed && hasSentEnd) }

    /// Whether the channel has failed.
    var isLost: Bool { loss != nil }

    /// Whether the next frame has something new for the other side.
    var hasPendingData: Bool {
        guard !isOver else { return false }
        if isClosed && outgoing.isEmpty { return true }
        if !outgoing.isEmpty && peerWindow > 0 { return true }
        return advertisedWindow < GATTFrame.maximumDataLength && room >= Self.capacity / 2
    }

    private var room: Int { isClosed ? Self.capacity : Self.capacity - incoming.count }

    /// Whether to notify the other side that there is something new: true at most once between two frames.
    mutating func shouldNotify() -> Bool {
        guard hasPendingData, !hasNotified else { return false }
        hasNotified = true
        return true
    }
}

// MARK: - For the user of the channel

extension GATTChannelBuffers {
    /// Returns the received bytes, or success with nil after the last ones; nil when there is nothing yet.
    mutating func receive() -> Result<[UInt8]?, RadioError>? {
        if isClosed { return .failure(.closedHere) }
        if !incoming.isEmpty {
            defer { incoming = [] }
            return .success(incoming)
        }
        if hasPeerEnded { return .success(nil) }
        return loss.map(Result.failure)
    }

    /// Buffers a message to be sent; nil when there is no room for it yet.
    mutating func send(_ message: [UInt8]) -> Result<Void, RadioError>? {
        if isClosed { return .failure(.closedHere) }
        if let loss { return .failure(loss) }
        if hasPeerEnded { return .failure(RadioError(.channelClosed, "the other device has closed the channel")) }
        guard outgoing.isEmpty || outgoing.count + message.count <= Self.sendLimit else { return nil }
        outgoing += message
        return .success(())
    }

    /// Closes this side; buffered outgoing data is still sent, received data is discarded.
    mutating func close() {
        isClosed = true
        incoming = []
    }

    /// Fails the channel for that reason without notifying the other side; received data can still be read.
    mutating func fail(_ error: RadioError) {
        guard !isOver else { return }
        loss = error
        outgoing = []
    }
}

// MARK: - For the transport

extension GATTChannelBuffers {
    /// Returns the next frame, or the answer to one.
    mutating func nextFrame(channel: UInt32, number: UInt8) -> GATTFrame {
        let data = Array(outgoing.prefix(min(GATTFrame.maximumDataLength, peerWindow)))
        outgoing.removeFirst(data.count)
        peerWindow -= data.count
        advertisedWindow = room
        hasNotified = false
        var flags: GATTFrame.Flags = []
        if isClosed, outgoing.isEmpty {
            flags.insert(.end)
            hasSentEnd = true
        }
        if hasPendingData { flags.insert(.more) }
        return GATTFrame(channel: channel, number: number, flags: flags, window: UInt16(advertisedWindow), data: data)
    }

    /// Accepts the answer to a frame of the caller; the channel is lost when there is no such one at the listener.
    mutating func acceptAnswer(_ answer: GATTFrame) {
        guard !answer.flags.contains(.opening) else {
            return fail(RadioError(.channelClosed, "the other device has dropped the channel"))
        }
        accept(answer)
    }

    /// Accepts a frame of the other side.
    mutating func accept(_ frame: GATTFrame) {
        guard !isOver else { return }
        guard frame.data.count <= advertisedWindow else {
            return fail(RadioError(.channelClosed, "the other device sent more data than its window allows"))
        }
        if !isClosed { incoming += frame.data }
        advertisedWindow -= frame.data.count
        peerWindow = Int(frame.window)
        if frame.flags.contains(.end) {
            hasPeerEnded = true
            outgoing = []
        }
    }
}

extension RadioError {
    /// The error for users of a channel that was closed on this side.
    fileprivate static let closedHere = RadioError(.channelClosed, "the channel is closed")
}
