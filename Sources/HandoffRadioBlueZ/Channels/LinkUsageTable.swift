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
        /// Whether the device has proved who it is, or this side has dialled it.
        var isProven = false
        /// Whether a channel was opened over the link.
        var hasCarriedChannel = false
        /// The number of the last release.
        var lastRelease: UInt64 = 0
    }

    /// What is known of a link that is followed.
    private struct Followed {
        /// The number under which it is followed: that of another link to the same device differs.
        let number: UInt64
        /// Whether the device has proved who it is, or this side has dialled it.
        var isProven: Bool
        /// The number of channels that ended before the device had proved who it is.
        var failures = 0
    }

    /// What has to be done with a link that is followed.
    enum Verdict: Equatable {
        /// It is not for its follower to drop it.
        case keep
        /// It is in use by a device that has not proved who it is.
        case lookAgain
        case drop
    }

    /// The number of channels that may end over a link before its device has proved who it is: a device of the circle
    /// whose session has failed dials again, but not as often over one link.
    private static let maximumFailures = 4

    private var releases: UInt64 = 0
    private var entries: [BluetoothAddress: Entry] = [:]
    private var followed: [BluetoothAddress: Followed] = [:]
    private var lastFollowed: UInt64 = 0

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

    /// Begins to follow a link that the device has created; returns the number under which it is followed.
    mutating func follow(_ address: BluetoothAddress) -> UInt64 {
        lastFollowed += 1
        // The first channel may be there before bluetoothd tells of its link.
        followed[address] = Followed(number: lastFollowed, isProven: entries[address]?.isProven == true)
        return lastFollowed
    }

    /// Ends following a link, unless another one to the same device is followed by now.
    mutating func unfollow(_ address: BluetoothAddress, _ number: UInt64) {
        if followed[address]?.number == number { followed[address] = nil }
    }

    /// Records that the device has proved who it is, or that this side dials it.
    mutating func recordProof(of address: BluetoothAddress) {
        entries[address]?.isProven = true
        followed[address]?.isProven = true
    }

    /// Records that a channel has ended before the device had proved who it is.
    mutating func recordFailure(of address: BluetoothAddress) {
        followed[address]?.failures += 1
    }

    /// Returns what has to be done with a link that is followed under that number.
    func verdict(on address: BluetoothAddress, _ number: UInt64) -> Verdict {
        guard let link = followed[address], link.number == number, !link.isProven else { return .keep }
        return contains(address) && link.failures < Self.maximumFailures ? .lookAgain : .drop
    }

    /// Whether the link to that device is recorded, and this side's to drop.
    func isOwn(_ address: BluetoothAddress) -> Bool { entries[address]?.isForeign == false }

    /// Marks the link as this side's after it was recorded: the one before has ended, and its users have yet to notice.
    mutating func markOwn(_ address: BluetoothAddress) {
        entries[address]?.isForeign = false
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
