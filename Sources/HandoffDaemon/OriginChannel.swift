import HandoffCore
import HandoffRadio

/// Opens a channel to the origin of an entry, wherever that is by now.
///
/// An address holds for one advertisement; the next one, of another activity, pace or slot, comes from a new address. Who
/// listens now and then has an old one for some seconds.
struct OriginChannel<R: Radio>: Sendable {
    let engine: Engine
    let radio: R

    /// The longest that all of it takes until the channel is open.
    static var limit: Duration { firstDial + search + secondDial }

    /// How long the address heard last is dialled: some intervals of the slowest advertiser, 1.28 s (bluetoothd 5.66).
    private static var firstDial: Duration { .seconds(4) }
    /// How long to listen for a new address after that.
    private static var search: Duration { .seconds(3) }
    /// How long the new address is dialled.
    private static var secondDial: Duration { .seconds(4) }

    /// Runs `body` with a channel to where the origin of `entry` was heard last, or is heard next.
    ///
    /// - Throws: `RadioError` with `timedOut` when it is not there, or another reason of the radio; ``HandoffError`` with
    ///   `noSuchActivity` when the entry has left meanwhile; else what `body` throws.
    func withChannel(to entry: NearbyEntry, _ body: @Sendable (R.Channel) async throws -> Void) async throws {
        do {
            return try await radio.withChannel(
                to: entry.address,
                port: entry.port,
                timeout: Self.firstDial,
                body
            )
        } catch let error as RadioError where error.code == .timedOut {
            let heard = try await heardNext(entry.id, orThrow: error)
            try await radio.withChannel(to: heard.address, port: heard.port, timeout: Self.secondDial, body)
        }
    }

    /// The entry as its device is heard next, listening with full effort.
    private func heardNext(_ id: NearbyEntry.ID, orThrow error: RadioError) async throws -> NearbyEntry {
        let engine = engine
        let looker = "fetch of \(id)"
        let start = engine.sightings.current
        engine.startLooking(for: looker)
        defer { engine.stopLooking(for: looker) }
        return try await withDeadline(Self.search, orThrow: error) {
            let since = try engine.entry(id).lastSeen
            var newest = start
            while true {
                newest = try await engine.sightings.changed(since: newest)
                let entry = try engine.entry(id)
                if entry.lastSeen != since { return entry }
            }
        }
    }
}
