import AsyncSupport
package import DBus
import Synchronization

/// A client of bluetoothd on one connection to the system bus.
///
/// Follows bluetoothd through restarts and never starts it: the bus could do so, but bluetooth.service does not run on
/// a machine without an adapter, and the call would hang. Obtained from `withBlueZ(on:_:)`. Its `with…` methods undo
/// what they started before they return; bluetoothd undoes it when the connection is lost.
package final class BlueZ: Sendable {
    let connection: Connection
    let mirror = Mutex(AdapterMirror())
    let mirrorTurns = AsyncMutex()
    let broadcast: CurrentValue<BlueZSnapshot>
    let discoveries: Discoveries
    let uncancelled = UncancelledTaskRunner(
        errorAfterEnd: BlueZError(.busLost, "the connection to the system bus is being closed")
    )
    private let identifiers = Mutex<UInt64>(0)

    /// The current state of bluetoothd and its adapters.
    package var snapshot: BlueZSnapshot { broadcast.value }

    init(
        connection: Connection,
        settling: Duration,
        persistence: Duration
    ) {
        self.connection = connection
        discoveries = Discoveries(settling: settling, persistence: persistence)
        broadcast = CurrentValue(mirror.withLock(\.snapshot))
    }

    /// Returns a sequence of the state of bluetoothd and its adapters: the current one at once, then one after every
    /// change.
    ///
    /// A slow reader gets only the newest.
    package func snapshots() -> AsyncStream<BlueZSnapshot> {
        broadcast.values()
    }

    /// Waits until `adapter` is lost: removed, switched off, or its bluetoothd stopped.
    ///
    /// - Throws: ``BlueZError`` with the reason; `CancellationError` when the task is cancelled.
    package func watch(_ adapter: Adapter) async throws {
        for await snapshot in broadcast.values() {
            if let error = snapshot.loss(of: adapter) { throw error }
        }
        try Task.checkCancellation()
        throw BlueZError(.busLost, "the connection to the system bus was closed")
    }

    /// Starts `work` concurrently, without waiting for it; it is cancelled when `withBlueZ(on:_:)` ends.
    package func performInBackground(_ work: @escaping @Sendable () async -> Void) {
        uncancelled.submit(work)
    }

    /// Performs `work` and waits for it even when the calling task is cancelled: for cleanup.
    ///
    /// Does nothing after `withBlueZ(on:_:)` has ended; errors are ignored.
    package func performCleanup(_ work: @escaping @Sendable () async throws -> Void) async {
        try? await uncancelled.perform(work)
    }

    /// Returns a number that was not returned before, so that every exported object has its own path.
    func nextIdentifier() -> UInt64 {
        identifiers.withLock { identifier in
            identifier += 1
            return identifier
        }
    }
}

/// Runs `body` with a client that follows bluetoothd.
///
/// - Throws: ``BlueZError`` with `busLost` when the connection is lost; otherwise what `body` throws. It is not an
///   error if bluetoothd is not running: ``BlueZ/snapshots()`` reports it.
/// - Parameter settling: how long bluetoothd may take to report that discovery has ended, when only this program had it
///   on.
/// - Parameter persistence: how long discovery has to be on without this program until another one keeps it on.
package func withBlueZ<Success: Sendable>(
    on connection: Connection,
    settling: Duration = .seconds(1),
    persistence: Duration = .seconds(12),
    _ body: (BlueZ) async throws -> Success
) async throws -> Success {
    let bluez = BlueZ(connection: connection, settling: settling, persistence: persistence)
    defer { bluez.broadcast.finish() }
    return try await withBackgroundTasks([bluez.follow, bluez.followOthers, bluez.uncancelled.run]) {
        try await body(bluez)
    }
}
