import HandoffCore
import HandoffRadio

/// Where a device can be dialled.
typealias Place = HeardPlaces.Place

/// Opens channels to devices, wherever they are heard at the moment.
struct Dialler<R: Radio>: Sendable {
    let engine: Engine
    let radio: R

    /// How long opening a channel may take.
    private static var limit: Duration { .seconds(10) }
    /// How long when there are more places to try: an old bluetoothd is heard twice meanwhile.
    private static var shareOfLimit: Duration { .seconds(3) }
    /// How often a link that breaks is made again to the same place.
    private static var repetitions: Int { 2 }
    /// How long a dial is left in peace before a new place ends it: whoever makes up places can make up many.
    private static var peace: Duration { .seconds(1) }

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
    ///   - place: where it is now, as far as the engine knows.
    ///   - others: where else it was heard lately; a place where `body` fails is followed by the next one.
    ///   - isDone: whether `body` has had what it wanted, so that its failure is no reason to go on.
    ///   - body: may run again, at another place or after its link has broken, as long as it is not done.
    /// - Throws: `RadioError` when there is no channel to be had; else what `body` throws.
    func withChannel(
        at start: Place,
        moving place: @escaping @Sendable () -> Place?,
        others: @escaping @Sendable () -> [Place] = { [] },
        unless isDone: @Sendable () -> Bool = { true },
        _ body: @escaping @Sendable (R.Channel) async throws -> Void
    ) async throws {
        var next: Place? = start
        var tried: Set<Place> = []
        var failure: (any Error)?
        var (isBroken, repetitions) = (false, 0)
        while let current = next {
            tried.insert(current)
            let (dialled, seen) = (Latest(false), tried)
            do {
                next = try await dial(current, besides: seen, moving: place, others: others) { channel in
                    dialled.set(true)
                    try await body(channel)
                }
            } catch {
                // The place heard last is the likeliest to be the device: what was wrong there is told.
                failure = failure ?? error
                let wasOpen = dialled.current.value
                guard !wasOpen || !isDone(), !Task.isCancelled else { throw failure ?? error }
                if wasOpen, (error as? RadioError)?.code == .channelClosed { isBroken = true }
                next = others().first { !seen.contains($0) }
                if next == nil, isBroken, repetitions < Self.repetitions {
                    // What is wrong from now on is told; a device that was removed has no place any more.
                    (next, failure, isBroken) = (place(), nil, false)
                    repetitions += 1
                }
                guard next != nil else { throw failure ?? error }
            }
        }
    }

    /// Dials one place; another one to go on with, or nil when `body` has run.
    private func dial(
        _ current: Place,
        besides tried: Set<Place>,
        moving place: @escaping @Sendable () -> Place?,
        others: @escaping @Sendable () -> [Place],
        _ body: @escaping @Sendable (R.Channel) async throws -> Void
    ) async throws -> Place? {
        let fate = Latest<Fate?>(nil)
        let limit = others().contains { !tried.contains($0) } ? Self.shareOfLimit : Self.limit
        return try await first {
            try await radio.withChannel(to: current.address, port: current.port, timeout: limit) { channel in
                fate.setOnce(.opened)
                guard fate.current.value == .opened else { return }
                try await body(channel)
            }
            // Whoever has decided to move says where to.
            guard fate.current.value == .moved else { return nil }
            try await untilCancelled()
        } or: {
            try await Task.sleep(for: Self.peace)
            return try await move(besides: tried, to: place, deciding: fate)
        }
    }

    /// What becomes of one dial; it is decided once.
    private enum Fate: Sendable {
        case opened, moved
    }

    /// Waits until the device is heard at a place that was not tried, before the channel is open.
    private func move(
        besides tried: Set<Place>,
        to place: @Sendable () -> Place?,
        deciding fate: Latest<Fate?>
    ) async throws -> Place {
        var heard = engine.sightings.current
        while true {
            if let now = place(), !tried.contains(now) {
                fate.setOnce(.moved)
                guard fate.current.value == .opened else { return now }
            }
            heard = try await engine.sightings.changed(since: heard)
        }
    }
}

extension NearbyEntry {
    /// Where its origin can be dialled.
    var place: Place { Place(address: address, port: port) }
}
