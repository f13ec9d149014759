import AsyncSupport
import BlueZ
import HandoffRadio
import Logging
import Synchronization

extension BlueZRadio {
    /// Runs `body`; meanwhile drops each link that a device creates and over which it opens no channel of ours in time,
    /// or none over which it proves who it is.
    ///
    /// A link keeps the controller from advertising connectably (Docs/BlueZ.md): without this, one central that
    /// connects and does nothing silences this device. A link over which a channel is open is looked at again, until the
    /// device has proved who it is. Links of devices that were known before, or that are paired or trusted, are left
    /// alone.
    ///
    /// - Parameters:
    ///   - offersGATT: whether the GATT service may be published.
    ///   - session: the radio's current session.
    ///   - body: runs from the moment on from which links are followed.
    func withIdleLinksDropped<Success: Sendable>(
        offersGATT: Bool,
        in session: Session,
        _ body: () async throws -> Success
    ) async throws -> Success {
        let limit = offersGATT ? idleLinkLimits.gatt : idleLinkLimits.channels
        let (appeared, links) = AsyncStream<UnannouncedLink>.makeStream(bufferingPolicy: .bufferingNewest(64))
        let (subscriptions, subscribed) = AsyncStream<Void>.makeStream()
        let companions: [@Sendable () async throws -> Void] = [
            {
                try await session.bluez.followUnannouncedLinks(
                    on: session.adapter,
                    subscribed: { subscribed.yield() },
                    changed: { self.renewAdvertisement(afterChangeOf: $0, isUp: $1) }
                ) { links.yield($0) }
            },
            {
                await withDiscardingTaskGroup { group in
                    for await link in appeared {
                        let number = self.links.withLock { $0.follow(link.address) }
                        group.addTask { await self.dropIfIdle(link, followedAs: number, after: limit, in: session) }
                    }
                }
            },
        ]
        return try await withBackgroundTasks(companions) {
            for await _ in subscriptions { break }
            return try await body()
        }
    }

    /// Looks at a link after `limit`, and again as long as it is in use by a device that has not proved who it is.
    private func dropIfIdle(
        _ link: UnannouncedLink,
        followedAs number: UInt64,
        after limit: Duration,
        in session: Session
    ) async {
        defer { links.withLock { $0.unfollow(link.address, number) } }
        var wait = limit
        while (try? await sleep(for: wait)) != nil {
            let isOver = try? await linkTurns.withLock(for: link.address) { () async -> Bool in
                let verdict = self.links.withLock { $0.verdict(on: link.address, number) }
                guard verdict != .keep, let device = try? await session.bluez.device(at: link.path),
                    device.isConnected, !device.isPairedOrTrusted
                else { return true }
                guard verdict == .drop else { return false }
                reportIdleLink(of: link)
                await drop(link.path, in: session)
                return true
            }
            guard isOver == false else { return }
            wait = idleLinkLimits.lookInterval
        }
    }

    /// Logs a dropped link at debug level, and a summary at most once a minute.
    private func reportIdleLink(of link: UnannouncedLink) {
        logger.debug("dropped an idle link", metadata: ["peer": "\(link.address)"])
        let count = idleLinks.withLock { $0.record(at: .now) }
        guard let count else { return }
        logger.info("\(count) links without a channel of a known device were dropped since the last report")
    }
}

/// How long a link may exist before its device opens a channel.
package struct IdleLinkLimits: Sendable {
    /// Where channels are those of L2CAP: a caller opens its channel at once, and 5 s are enough for one whose radio is
    /// busy.
    package var channels = Duration.seconds(5)
    /// Where channels over GATT are offered: bluetoothd 5.66 may take 30 s until it answers a new central.
    package var gatt = Duration.seconds(40)
    /// How long after that a link is looked at again over which a channel was open whose caller had not proved who it is.
    package var lookInterval = Duration.seconds(5)

    package init() {}
}

/// Counts dropped links between two log lines: any device in range can cause them at will.
struct IdleLinkReports {
    /// The shortest time between two lines.
    private static let interval = Duration.seconds(60)

    private var last: ContinuousClock.Instant?
    private var count = 0

    /// Counts one; returns the number since the last line if a line is due, nil otherwise.
    mutating func record(at now: ContinuousClock.Instant) -> Int? {
        count += 1
        if let last, last.duration(to: now) < Self.interval { return nil }
        last = now
        defer { count = 0 }
        return count
    }
}
