import HandoffCore
import HandoffRadio

/// Where a device can be dialled.
struct Place: Hashable, Sendable {
    let address: RadioAddress
    let port: ChannelPort
}

/// Opens channels to devices, wherever they are heard at the moment.
struct Dialler<R: Radio>: Sendable {
    let engine: Engine
    let radio: R

    /// How long opening a channel may take.
    private static var limit: Duration { .seconds(10) }

    /// Runs `body` with a channel to a device; when it is heard elsewhere before the channel is open, to there.
    ///
    /// A device may advertise from another address from one moment to the next, and nobody answers at the old one.
    ///
    /// - Parameters:
    ///   - start: where it was heard when somebody asked for it.
    ///   - place: where it is now, as far as the engine knows.
    ///   - body: runs once at most.
    /// - Throws: `RadioError` when there is no channel to be had; else what `body` throws.
    func withChannel(
        at start: Place,
        moving place: @escaping @Sendable () -> Place?,
        _ body: @escaping @Sendable (R.Channel) async throws -> Void
    ) async throws {
        var next: Place? = start
        while let current = next {
            let fate = Latest<Fate?>(nil)
            next = try await first {
                try await radio.withChannel(to: current.address, port: current.port, timeout: Self.limit) { channel in
                    fate.setOnce(.opened)
                    guard fate.current.value == .opened else { return }
                    try await body(channel)
                }
                // Whoever has decided to move says where to.
                guard fate.current.value == .moved else { return nil }
                try await untilCancelled()
            } or: {
                try await move(from: current, to: place, deciding: fate)
            }
        }
    }

    /// What becomes of one dial; it is decided once.
    private enum Fate: Sendable {
        case opened, moved
    }

    /// Waits until the device is heard at another place before the channel is open.
    private func move(
        from old: Place,
        to place: @Sendable () -> Place?,
        deciding fate: Latest<Fate?>
    ) async throws -> Place {
        var heard = engine.sightings.current
        while true {
            if let now = place(), now != old {
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
