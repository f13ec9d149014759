import Epoll
private import Synchronization

/// An open port: it accepts the channels that peers dial, up to a limit.
final class Listener: Sendable {
    let channels: AsyncStream<SimulatedChannel>
    private let newChannels: AsyncStream<SimulatedChannel>.Continuation
    private let limit: Int
    private let open = Mutex(0)

    init(limit: Int) {
        (channels, newChannels) = AsyncStream.makeStream()
        self.limit = limit
    }

    /// Accepts a channel, or closes it when too many are open.
    func accept(_ channel: SimulatedChannel) {
        let hasRoom = open.withLock { open in
            guard open < limit else { return false }
            open += 1
            return true
        }
        guard hasRoom, case .enqueued = newChannels.yield(channel) else { return channel.close() }
    }

    /// Records that an accepted channel was closed.
    func ended() {
        open.withLock { $0 -= 1 }
    }

    func close() {
        newChannels.finish()
    }
}
