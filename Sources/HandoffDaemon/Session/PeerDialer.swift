import AsyncSupport
import HandoffCore
import HandoffRadio

/// Where a device can be dialled.
typealias PeerEndpoint = RecentEndpoints.PeerEndpoint

/// Opens channels to devices, wherever they are heard at the moment.
struct PeerDialer<R: Radio>: Sendable {
    let engine: Engine
    let radio: R

    /// How long opening a channel may take.
    private static var limit: Duration { .seconds(10) }
    /// How long when there are more places to try: an old bluetoothd is heard twice meanwhile.
    private static var limitPerEndpoint: Duration { .seconds(3) }
    /// How often a link that breaks is made again to the same place.
    private static var repetitions: Int { 2 }
    /// How long a dial is left in peace before a new place ends it: whoever makes up places can make up many.
    private static var minimumDialTime: Duration { .seconds(1) }

    /// Runs `body` with a channel to a device; when it is heard elsewhere before the channel is open, to there.
    ///
    /// A device may advertise from another address from one moment to the next, and nobody answers at the old one. And
    /// somebody else may repeat its advertisement elsewhere: then each place gets its turn, once. A link may break under
    /// the first message, because of somebody else's on the same computer (bluetoothd drops one late that it was asked to
    /// drop): when the other places have had their turn, it is made again, and so few times that nobody can keep us
    /// dialling.
    ///
    /// - Parameters:
    ///   - start: where it was heard when somebody asked for it.
    ///   - endpoint: where it is now, as far as the engine knows.
    ///   - others: where else it was heard lately; a place where `body` fails is followed by the next one.
    ///   - isDone: whether `body` has had what it wanted, so that its failure is no reason to go on.
    ///   - body: may run again, at another place or after its link has broken, as long as it is not done.
    /// - Throws: `RadioError` when there is no channel to be had; else what `body` throws.
    func withChannel(
        at start: PeerEndpoint,
        tracking endpoint: @escaping @Sendable () -> PeerEndpoint?,
        others: @escaping @Sendable () -> [PeerEndpoint] = { [] },
        unless isDone: @Sendable () -> Bool = { true },
        _ body: @escaping @Sendable (R.Channel) async throws -> Void
    ) async throws {
        var next: PeerEndpoint? = start
        var tried: Set<PeerEndpoint> = []
        var failure: (any Error)?
        var (isBroken, repetitions) = (false, 0)
        while let current = next {
            tried.insert(current)
            let (dialled, seen) = (Promise<Void>(), tried)
            do {
                next = try await dial(current, excluding: seen, tracking: endpoint, others: others) { channel in
                    dialled.fulfil(())
                    try await body(channel)
                }
            } catch {
                // The place heard last is the likeliest to be the device: what was wrong there is told.
                failure = failure ?? error
                let wasOpen = dialled.valueIfSet != nil
                guard !wasOpen || !isDone(), !Task.isCancelled else { throw failure ?? error }
                if wasOpen, (error as? RadioError)?.code == .channelClosed { isBroken = true }
                next = others().first { !seen.contains($0) }
                if next == nil, isBroken, repetitions < Self.repetitions {
                    // What is wrong from now on is told; a device that was removed has no place any more.
                    (next, failure, isBroken) = (endpoint(), nil, false)
                    repetitions += 1
                }
                guard next != nil else { throw failure ?? error }
            }
        }
    }

    /// Dials one place; another one to go on with, or nil when `body` has run.
    private func dial(
        _ current: PeerEndpoint,
        excluding tried: Set<PeerEndpoint>,
        tracking endpoint: @escaping @Sendable () -> PeerEndpoint?,
        others: @escaping @Sendable () -> [PeerEndpoint],
        _ body: @escaping @Sendable (R.Channel) async throws -> Void
    ) async throws -> PeerEndpoint? {
        let resolution = Promise<Resolution>()
        let limit = others().contains { !tried.contains($0) } ? Self.limitPerEndpoint : Self.limit
        return try await race {
            try await radio.withChannel(to: current.address, port: current.port, timeout: limit) { channel in
                resolution.fulfil(.opened)
                guard resolution.valueIfSet == .opened else { return }
                try await body(channel)
            }
            // Whoever has decided to move says where to.
            guard resolution.valueIfSet == .moved else { return nil }
            try await untilCancelled()
        } _: {
            try await Task.sleep(for: Self.minimumDialTime)
            return try await move(excluding: tried, to: endpoint, resolving: resolution)
        }
    }

    /// What becomes of one dial; it is decided once.
    private enum Resolution: Sendable {
        case opened, moved
    }

    /// Waits until the device is heard at a place that was not tried, before the channel is open.
    private func move(
        excluding tried: Set<PeerEndpoint>,
        to endpoint: @Sendable () -> PeerEndpoint?,
        resolving resolution: Promise<Resolution>
    ) async throws -> PeerEndpoint {
        var heard = engine.deviceUpdates.current
        while true {
            if let now = endpoint(), !tried.contains(now) {
                resolution.fulfil(.moved)
                guard resolution.valueIfSet == .opened else { return now }
            }
            heard = try await engine.deviceUpdates.changed(since: heard)
        }
    }
}

extension NearbyEntry {
    /// Where its origin can be dialled.
    var endpoint: PeerEndpoint { PeerEndpoint(address: address, port: port) }
}
