import AsyncSupport
import DBus

/// Discovery that other programs keep on, and that nothing but the property `Discovering` tells of.
extension BlueZ {
    /// Notes whether another program keeps discovery on while ours is off; until cancelled.
    func followOthers() async throws {
        var (seen, ended) = (broadcast.current, discoveries.ends.current)
        while true {
            let again = observeOthers(seen.value)
            // A note publishes another snapshot.
            try await change(of: seen, or: ended, before: again)
            (seen, ended) = (broadcast.current, discoveries.ends.current)
        }
    }

    /// Waits for another snapshot, the end of a session of ours, or that time.
    private func change(
        of seen: CurrentValue<BlueZSnapshot>.Snapshot,
        or ended: CurrentValue<Void>.Snapshot,
        before time: ContinuousClock.Instant?
    ) async throws {
        try await race {
            _ = try await self.broadcast.changed(since: seen)
        } _: {
            try await race {
                _ = try await self.discoveries.ends.changed(since: ended)
            } _: {
                if let time { try await ProcessClock().sleep(until: time) } else { try await untilCancelled() }
            }
        }
    }

    /// Notes what can be told of each adapter; returns when more can be told, nil for not by itself.
    private func observeOthers(_ snapshot: BlueZSnapshot) -> ContinuousClock.Instant? {
        snapshot.adapters.compactMap { adapter in
            let session = discoveries.session(on: adapter.path)
            let (verdict, again) = session.observeOthers(isDiscovering: adapter.isDiscovering)
            if let verdict { noteOtherDiscovery(verdict, on: adapter.path) }
            return again
        }.min()
    }
}
