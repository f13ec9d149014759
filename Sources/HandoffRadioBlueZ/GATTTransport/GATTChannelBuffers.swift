import HandoffRadio

/// One end of a channel through a mailbox: what has come, what is to go, and how it ended.
///
/// Pure, and the same on both sides. A letter and its answer alternate strictly, so a window is simply the room that there
/// is: the other side fills no more of it before it is told anew.
struct GATTChannelBuffers {
    /// How many bytes may wait for a slow reader, and, with ``sendLimit``, all that a channel can cost.
    static let capacity = 4096

    /// How many bytes may wait for a slow peer before a writer has to wait.
    static let sendLimit = 4 * GATTFrame.maximumDataLength

    private var incoming: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var isClosed = false
    private var hasSentEnd = false
    private var hasPeerEnded = false
    private var loss: RadioError?
    private var advertisedWindow = 0
    private var peerWindow = 0
    private var hasNotified = false

    /// Whether nothing goes or comes any more.
    var isOver: Bool { hasPeerEnded || loss != nil || (isClosed && hasSentEnd) }

    /// Whether the next letter would tell the other side something.
    var hasPendingData: Bool {
        guard !isOver else { return false }
        if isClosed && outgoing.isEmpty { return true }
        if !outgoing.isEmpty && peerWindow > 0 { return true }
        return advertisedWindow < GATTFrame.maximumDataLength && room >= Self.capacity / 2
    }

    private var room: Int { isClosed ? Self.capacity : Self.capacity - incoming.count }

    /// Whether there are news that the other side should be woken up for: true once between two letters.
    mutating func shouldNotify() -> Bool {
        guard hasPendingData, !hasNotified else { return false }
        hasNotified = true
        return true
    }
}

// MARK: - For who uses the channel

extension GATTChannelBuffers {
    /// What has come, or nil inside when that was all; nil when there is nothing yet.
    mutating func receive() -> Result<[UInt8]?, RadioError>? {
        if isClosed { return .failure(.closedHere) }
        if !incoming.isEmpty {
            defer { incoming = [] }
            return .success(incoming)
        }
        if hasPeerEnded { return .success(nil) }
        return loss.map(Result.failure)
    }

    /// Takes a message to be sent; nil when there is no room for it yet.
    mutating func send(_ message: [UInt8]) -> Result<Void, RadioError>? {
        if isClosed { return .failure(.closedHere) }
        if let loss { return .failure(loss) }
        if hasPeerEnded { return .failure(RadioError(.channelClosed, "the other device has closed the channel")) }
        guard outgoing.isEmpty || outgoing.count + message.count <= Self.sendLimit else { return nil }
        outgoing += message
        return .success(())
    }

    /// Ends this side; what waits to be sent still goes, what has come is thrown away.
    mutating func close() {
        isClosed = true
        incoming = []
    }

    /// Ends both sides without a word, for that reason; what has come can still be received.
    mutating func fail(_ error: RadioError) {
        guard !isOver else { return }
        loss = error
        outgoing = []
    }
}

// MARK: - For who carries the letters

extension GATTChannelBuffers {
    /// The next letter, or the answer to one.
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

    /// Takes in what the other side has written.
    mutating func accept(_ frame: GATTFrame) {
        guard !isOver else { return }
        guard frame.data.count <= advertisedWindow else {
            return fail(RadioError(.channelClosed, "the other device sent more than it was allowed to"))
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
    /// What whoever uses a channel is told after its end on this side.
    fileprivate static let closedHere = RadioError(.channelClosed, "the channel is closed")
}
