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
            let isOpen = Latest(false)
            next = try await first {
                try await radio.withChannel(to: current.address, port: current.port, timeout: Self.limit) { channel in
                    isOpen.set(true)
                    try await body(channel)
                }
                return nil
            } or: {
                try await move(from: current, to: place, unless: isOpen)
            }
        }
    }

    /// Waits until the device is heard at another place.
    private func move(
        from old: Place,
        to place: @Sendable () -> Place?,
        unless isOpen: Latest<Bool>
    ) async throws -> Place {
        var heard = engine.sightings.current
        while true {
            if !isOpen.current.value, let now = place(), now != old { return now }
            heard = try await engine.sightings.changed(since: heard)
        }
    }
}

extension NearbyEntry {
    /// Where its origin can be dialled.
    var place: Place { Place(address: address, port: port) }
}
