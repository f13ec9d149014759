import AsyncSupport
package import DBus
import Synchronization

/// bluetoothd, as one connection to the system bus sees it.
///
/// Follows bluetoothd through restarts and never starts it: the bus could, but bluetooth.service does not run on a
/// machine without an adapter and the call would hang. Obtained from `withBlueZ(on:_:)`; what its `with…` methods
/// started is undone when they return, and bluetoothd itself undoes it when the connection is lost.
package final class BlueZ: Sendable {
    let connection: Connection
    let mirror = Mutex(AdapterMirror())
    let mirrorTurns = AsyncMutex()
    let broadcast: CurrentValue<BlueZSnapshot>
    let discoveries = Discoveries()
    let errands = UncancelledTaskRunner(
        errorAfterEnd: BlueZError(.busLost, "the connection to the system bus is being closed")
    )
    private let identifiers = Mutex<UInt64>(0)

    /// bluetoothd and its adapters as they are now.
    package var snapshot: BlueZSnapshot { broadcast.value }

    init(connection: Connection) {
        self.connection = connection
        broadcast = CurrentValue(mirror.withLock(\.snapshot))
    }

    /// bluetoothd and its adapters: at once as they are now, then after every change.
    ///
    /// A slow reader gets the newest.
    package func snapshots() -> AsyncStream<BlueZSnapshot> {
        broadcast.values()
    }

    /// Waits until `adapter` is not any more what it is now.
    ///
    /// - Throws: ``BlueZError`` that says what became of it; `CancellationError` when the task is cancelled.
    package func watch(_ adapter: Adapter) async throws {
        for await snapshot in broadcast.values() {
            if let error = snapshot.loss(of: adapter) { throw error }
        }
        try Task.checkCancellation()
        throw BlueZError(.busLost, "the connection to the system bus was closed")
    }

    /// Has `work` done beside everything else, without waiting for it; cancelled when `withBlueZ(on:_:)` ends.
    package func performInBackground(_ work: @escaping @Sendable () async -> Void) {
        errands.submit(work)
    }

    /// Has `work` done, and waits for it even when the calling task is cancelled: for undoing.
    ///
    /// Nothing of it is done when `withBlueZ(on:_:)` has ended; a failure is of no consequence.
    package func performCleanup(_ work: @escaping @Sendable () async throws -> Void) async {
        try? await errands.perform(work)
    }

    /// A number that this object has not given before: every exported object gets a path of its own.
    func nextIdentifier() -> UInt64 {
        identifiers.withLock { identifier in
            identifier += 1
            return identifier
        }
    }
}

/// Follows bluetoothd for as long as `body` runs.
///
/// - Throws: ``BlueZError`` with `busLost` when the connection goes; else what `body` throws. That bluetoothd does not
///   run is no error: ``BlueZ/snapshots()`` says so.
package func withBlueZ<Success: Sendable>(
    on connection: Connection,
    _ body: (BlueZ) async throws -> Success
) async throws -> Success {
    let bluez = BlueZ(connection: connection)
    defer { bluez.broadcast.finish() }
    return try await withBackgroundTasks([bluez.follow, bluez.errands.run]) { try await body(bluez) }
}
