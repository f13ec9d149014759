import BlueZ
import Synchronization

/// Whose turn it is to write into which device's mailbox: one turnstile for each device that is written to.
final class MailboxTurns: Sendable {
    private struct Entry {
        let turns = Turnstile()
        var users = 0
    }

    private let entries = Mutex<[DeviceAddress: Entry]>([:])

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
