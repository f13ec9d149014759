import Epoll
private import Synchronization

/// A port that is open: it takes the channels that peers dial, up to a limit.
final class Listener: Sendable {
    let channels: AsyncStream<SimulatedChannel>
    private let arrivals: AsyncStream<SimulatedChannel>.Continuation
    private let limit: Int
    private let open = Mutex(0)

    init(limit: Int) {
        (channels, arrivals) = AsyncStream.makeStream()
        self.limit = limit
    }

    /// Takes over a channel, or closes it when too many are open.
    func take(_ channel: SimulatedChannel) {
        let hasRoom = open.withLock { open in
            guard open < limit else { return false }
            open += 1
            return true
        }
        guard hasRoom, case .enqueued = arrivals.yield(channel) else { return channel.close() }
    }

    /// To be called when a channel that was taken is closed.
    func ended() {
        open.withLock { $0 -= 1 }
    }

    func close() {
        arrivals.finish()
    }
}
