import AsyncSupport
import BlueZ
import HandoffRadio
import Synchronization

/// The calling side of one channel through a mailbox: writes its letters and reads their answers.
final class GATTClientTransport: Sendable {
    /// How long nothing may be said: the listener gives up a caller that is silent for ``GATTServerTransport/idleTimeout``, and a
    /// doorbell that was not heard makes this much difference.
    private static let interval = Duration.seconds(3)

    /// How long the other side may take to hear that the channel is closed.
    private static let closeTimeout = Duration.seconds(2)

    private struct Progress {
        var next: UInt8 = 0
        /// Written, perhaps, and not answered: it is written again before anything else.
        var pending: GATTFrame?
    }

    let channel: GATTChannel

    private let link: GATTConnection
    private let identifier: UInt32
    private let progress = Mutex(Progress())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(_ link: GATTConnection) {
        self.link = link
        identifier = .random(in: .min ... .max)
        let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.wakes, self.wake) = (wakes, wake)
        channel = GATTChannel { wake.yield() }
    }

    /// Opens the channel.
    ///
    /// - Throws: ``RadioError`` with `refused` when nobody listens at `port`, or nobody more can be served.
    func open(_ port: ChannelPort) async throws {
        let first = channel.nextFrame(channel: identifier, number: 0)
        let frame = GATTFrame(
            channel: identifier,
            number: 0,
            flags: .opening,
            window: first.window,
            data: [UInt8(truncatingIfNeeded: port.rawValue)]
        )
        let answer = try await link.exchange(frame)
        guard !answer.flags.contains(.opening) else {
            throw RadioError(.refused, "the device does not listen at \(port) any more, or serves too many; try again")
        }
        progress.withLock { $0.next = 1 }
        channel.accept(answer)
    }

    /// Carries letters until the channel is over; breaks the channel when the link does.
    func run() async {
        do {
            let companions: [@Sendable () async throws -> Void] = [
                { try await self.followNotifications() },
                {
                    try await self.link.peer.waitForDisconnection()
                    throw RadioError(.channelClosed, "the link to the other device was lost")
                },
                {
                    while true {
                        try await Task.sleep(for: Self.interval)
                        self.wake.yield()
                    }
                },
            ]
            try await withBackgroundTasks(companions) {
                for await _ in wakes {
                    try await exchangeAll()
                    if channel.isOver { return }
                }
            }
        } catch {
            guard !Task.isCancelled else { return }
            channel.fail(RadioError(.channelClosed, "the channel broke: \(error)"))
        }
    }

    /// Wakes up when the doorbell rings, and once before: it may have rung while nobody listened.
    private func followNotifications() async throws {
        try await link.peer.followNotifications(of: link.notifyCharacteristic, subscribed: { self.wake.yield() }) { _ in
            self.wake.yield()
        }
    }

    /// Closes the channel, and tells the other side while there is time.
    func finish() async {
        channel.close()
        guard !channel.isOver || progress.withLock({ $0.pending != nil }) else { return }
        _ = try? await withTimeout(Self.closeTimeout) { try await self.exchangeAll() }
    }

    /// Exchanges letters for as long as one side has news.
    private func exchangeAll() async throws {
        var hasMore = true
        while hasMore || channel.hasPendingData {
            guard !channel.isOver || progress.withLock({ $0.pending != nil }) else { return }
            hasMore = try await exchange()
        }
    }

    /// One letter and its answer; whether there is more to ask for.
    private func exchange() async throws -> Bool {
        let frame = progress.withLock { progress in
            let frame = progress.pending ?? channel.nextFrame(channel: identifier, number: progress.next)
            progress.pending = frame
            return frame
        }
        let answer = try await link.exchange(frame)
        progress.withLock { progress in
            progress.pending = nil
            progress.next = frame.number &+ 1
        }
        guard !answer.flags.contains(.opening) else {
            throw RadioError(.channelClosed, "the other device has given the channel up")
        }
        channel.accept(answer)
        return answer.flags.contains(.more)
    }
}
