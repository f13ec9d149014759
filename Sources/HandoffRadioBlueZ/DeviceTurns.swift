import BlueZ
import Synchronization

/// Whose turn it is with which device: one turnstile for each that somebody has to do with.
final class DeviceTurns: Sendable {
    private struct Entry {
        let turns = Turnstile()
        var users = 0
    }

    private let entries = Mutex<[DeviceAddress: Entry]>([:])

    /// Runs `body` when nobody else runs theirs with that device.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; else what `body` throws.
    func withTurn<Success>(
        at device: DeviceAddress,
        _ body: () async throws -> Success,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Success {
        let turns = borrow(device)
        defer { giveBack(device) }
        return try await turns.withTurn(body)
    }

    /// The turnstile of a device, the same for all that hold it; to be given back with ``giveBack(_:)``.
    func borrow(_ device: DeviceAddress) -> Turnstile {
        entries.withLock { entries in
            entries[device, default: Entry()].users += 1
            return entries[device, default: Entry()].turns
        }
    }

    func giveBack(_ device: DeviceAddress) {
        entries.withLock { entries in
            entries[device]?.users -= 1
            if entries[device]?.users == 0 { entries[device] = nil }
        }
    }
}
