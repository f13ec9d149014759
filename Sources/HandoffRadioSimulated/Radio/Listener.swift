import AsyncSupport
import Epoll

/// An open port: it accepts the channels that peers dial, up to a limit.
final class Listener: Sendable {
    let channels: AsyncStream<SimulatedChannel>
    private let newChannels: AsyncStream<SimulatedChannel>.Continuation
    private let permits: CountingSemaphore

    init(limit: Int) {
        (channels, newChannels) = AsyncStream.makeStream()
        permits = CountingSemaphore(limit)
    }

    /// Accepts a channel, or closes it when too many are open.
    func accept(_ channel: SimulatedChannel) {
        guard permits.tryAcquire() else { return channel.close() }
        guard case .enqueued = newChannels.yield(channel) else {
            permits.release()
            return channel.close()
        }
    }

    /// Records that an accepted channel was closed.
    func ended() {
        permits.release()
    }

    func close() {
        newChannels.finish()
    }
}
