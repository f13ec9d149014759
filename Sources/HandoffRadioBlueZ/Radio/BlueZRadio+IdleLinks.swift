import AsyncSupport
import BlueZ
import HandoffRadio
import Logging
import Synchronization

extension BlueZRadio {
    /// Runs `body`; meanwhile drops each link that a device creates and over which it opens no channel of ours in time.
    ///
    /// A link keeps the controller from advertising connectably (Docs/BlueZ.md): without this, one central that
    /// connects and does nothing silences this device. Links of devices that were known before, that are paired or
    /// trusted, or that use the GATT service, are left alone.
    ///
    /// - Parameters:
    ///   - server: the GATT service, whose users are not idle.
    ///   - offersGATT: whether the GATT service may be published.
    ///   - session: the radio's current session.
    ///   - body: runs from the moment on from which links are followed.
    func withIdleLinksDropped<Success: Sendable>(
        besides server: GATTServerTransport,
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
                    subscribed: { subscribed.yield() }
                ) { links.yield($0) }
            },
            {
                await withDiscardingTaskGroup { group in
                    for await link in appeared {
                        group.addTask { await self.dropIfIdle(link, after: limit, besides: server, in: session) }
                    }
                }
            },
        ]
        return try await withBackgroundTasks(companions) {
            for await _ in subscriptions { break }
            return try await body()
        }
    }

    private func dropIfIdle(
        _ link: UnannouncedLink,
        after limit: Duration,
        besides server: GATTServerTransport,
        in session: Session
    ) async {
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        try? await linkTurns.withLock(for: link.address) {
            guard !self.links.withLock({ $0.contains(link.address) }), !server.devices.contains(link.path),
                let device = try? await session.bluez.device(at: link.path), device.isConnected,
                !device.isPairedOrTrusted
            else { return }
            reportIdleLink(of: link)
            await drop(link.path, in: session)
        }
    }

    /// Logs a dropped link at debug level, and a summary at most once a minute.
    private func reportIdleLink(of link: UnannouncedLink) {
        logger.debug("dropped an idle link", metadata: ["peer": "\(link.address)"])
        let count = idleLinks.withLock { $0.record(at: .now) }
        guard let count else { return }
        logger.info("\(count) links without a channel were dropped since the last report")
    }
}

/// How long a link may exist before its device opens a channel.
package struct IdleLinkLimits: Sendable {
    /// Where channels are those of L2CAP: a caller opens its channel at once, and 5 s are enough for one whose radio is
    /// busy.
    package var channels = Duration.seconds(5)
    /// Where channels over GATT are offered: bluetoothd 5.66 may take 30 s until it answers a new central.
    package var gatt = Duration.seconds(40)

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
