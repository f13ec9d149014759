import AsyncSupport
import Epoll

/// A port that is open: it takes the channels that peers dial, up to a limit.
final class Listener: Sendable {
    let channels: AsyncStream<SimulatedChannel>
    private let newChannels: AsyncStream<SimulatedChannel>.Continuation
    private let permits: CountingSemaphore

    init(limit: Int) {
        (channels, newChannels) = AsyncStream.makeStream()
        permits = CountingSemaphore(limit)
    }

    /// Takes over a channel, or closes it when too many are open.
    func accept(_ channel: SimulatedChannel) {
        guard permits.tryAcquire() else { return channel.close() }
        guard case .enqueued = newChannels.yield(channel) else {
            permits.release()
            return channel.close()
        }
    }

    /// To be called when a channel that was taken is closed.
    func ended() {
        permits.release()
    }

    func close() {
        newChannels.finish()
    }
}
