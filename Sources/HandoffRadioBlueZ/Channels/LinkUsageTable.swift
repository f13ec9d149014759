import BlueZ
import Bluetooth

/// Counts the users of each link, so that a link is dropped with its last user, and only if the radio created it.
///
/// It is pure. A link that existed before is foreign, that is, used by other programs: a keyboard, a phone that plays
/// music.
struct LinkUsageTable {
    private struct Entry {
        var users = 0
        var isForeign: Bool
        /// Whether a channel was opened over the link.
        var hasCarriedChannel = false
        /// The number of the last release.
        var lastRelease: UInt64 = 0
    }

    private var releases: UInt64 = 0
    private var entries: [BluetoothAddress: Entry] = [:]

    /// Whether a link to that device is recorded.
    func contains(_ address: BluetoothAddress) -> Bool {
        entries[address] != nil
    }

    /// Adds a user of the link; `isForeign` is considered for the first user only.
    mutating func addUser(of address: BluetoothAddress, isForeign: Bool) {
        entries[address, default: Entry(isForeign: isForeign)].users += 1
    }

    /// Whether a channel was opened over the link to that device, so that the link needs not be created for another one.
    func hasCarriedChannel(to address: BluetoothAddress) -> Bool { entries[address]?.hasCarriedChannel == true }

    /// Records that a channel was opened over the link.
    mutating func recordChannel(to address: BluetoothAddress) {
        entries[address]?.hasCarriedChannel = true
    }

    /// Marks the link as foreign after it was recorded.
    mutating func markForeign(_ address: BluetoothAddress) {
        entries[address]?.isForeign = true
    }

    /// Removes a user of the link; returns the number of this release.
    @discardableResult
    mutating func removeUser(of address: BluetoothAddress) -> UInt64 {
        releases += 1
        entries[address]?.users -= 1
        entries[address]?.lastRelease = releases
        if entries[address]?.users == 0, entries[address]?.isForeign == true { entries[address] = nil }
        return releases
    }

    /// Removes the link if it has no users left; returns true if so, and the caller must drop the link then.
    ///
    /// - Parameters:
    ///   - address: the other device.
    ///   - release: the release after which nobody may have used the link; nil for any. A link that was used again is
    ///     kept for as long as its last user wants.
    mutating func removeIfUnused(_ address: BluetoothAddress, since release: UInt64? = nil) -> Bool {
        guard let entry = entries[address], entry.users == 0, release == nil || release == entry.lastRelease else {
            return false
        }
        entries[address] = nil
        return true
    }
}
