import AsyncSupport
import Bluetooth
import BlueZ
import HandoffRadio
import Synchronization

/// The calling side of one GATT channel: writes its frames and reads their answers.
final class GATTClientTransport: Sendable {
    /// The longest time between two exchanges.
    ///
    /// The listener drops a caller that is silent for
    /// ``GATTServerTransport/idleTimeout``, and a lost notification delays an exchange by at most this time.
    private static let interval = Duration.seconds(3)

    /// The time limit for notifying the other side that the channel is closed.
    private static let closeTimeout = Duration.seconds(2)

    /// How long the other side may take to drop a link on which it opens no more channels.
    private static let dropLimit = Duration.seconds(4)

    private struct Progress {
        var next: UInt8 = 0
        /// A frame that may have been written but was not answered; it is written again before any other.
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
    /// - Throws: ``RadioError`` with `refused` when there is no listener at `port`, or it serves too many channels;
    ///   ``BlueZError`` with `notConnected` when the other side was about to drop the link, and has dropped it.
    func open(_ port: LEPSM) async throws {
        let first = channel.nextFrame(channel: identifier, number: 0)
        let frame = GATTFrame(
            channel: identifier,
            number: 0,
            flags: .opening,
            window: first.window,
            data: [port.number]
        )
        let answer = try await link.exchange(frame)
        switch answer.opening {
        case .accepted: break
        case .dropped:
            // bluetoothd takes 2 s to drop a link; a request that waits at that moment may end bluetoothd 5.66.
            try await withTimeout(Self.dropLimit) { try await self.link.peer.waitForDisconnection() }
            throw BlueZError(.notConnected, "the other device was about to drop the link")
        case .refused:
            throw RadioError(
                .refused,
                "the device no longer listens on port \(port), or serves too many channels; try again"
            )
        }
        progress.withLock { $0.next = 1 }
        channel.accept(answer)
    }

    /// Exchanges frames until the channel has ended; fails the channel when the link is lost.
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
                        try await sleep(for: Self.interval)
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
            channel.fail(RadioError(.channelClosed, "the channel failed: \(error)"))
        }
    }

    /// Wakes the transport on each notification, and once when subscribed: earlier notifications may have been missed.
    private func followNotifications() async throws {
        try await link.peer.followNotifications(of: link.notifyCharacteristic, subscribed: { self.wake.yield() }) { _ in
            self.wake.yield()
        }
    }

    /// Closes the channel, and notifies the other side within ``closeTimeout``.
    func finish() async {
        channel.close()
        guard !channel.isOver || progress.withLock({ $0.pending != nil }) else { return }
        _ = try? await withTimeout(Self.closeTimeout) { try await self.exchangeAll() }
    }

    /// Exchanges frames for as long as either side has something to send.
    private func exchangeAll() async throws {
        var hasMore = true
        while hasMore || channel.hasPendingData {
            guard !channel.isOver || progress.withLock({ $0.pending != nil }) else { return }
            hasMore = try await exchange()
        }
    }

    /// Exchanges one frame for its answer; returns whether the other side has more.
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
        channel.accept(answer)
        return answer.flags.contains(.more)
    }
}
