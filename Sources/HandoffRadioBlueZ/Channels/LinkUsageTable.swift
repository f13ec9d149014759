import BlueZ

/// Who uses which link, so that a link is dropped by its last user, and only if it is ours.
///
/// Pure. A link that stood before we came belongs to somebody else: a keyboard, a phone that plays music.
struct LinkUsageTable {
    private struct Entry {
        var users = 0
        var isForeign: Bool
    }

    private var entries: [DeviceAddress: Entry] = [:]

    /// Whether a link to that device is in the books.
    func contains(_ address: DeviceAddress) -> Bool {
        entries[address] != nil
    }

    /// Somebody begins to use the link; `isForeign` counts for the first only.
    mutating func addUser(of address: DeviceAddress, isForeign: Bool) {
        entries[address, default: Entry(isForeign: isForeign)].users += 1
    }

    /// It turned out that the link is somebody else's.
    mutating func markForeign(_ address: DeviceAddress) {
        entries[address]?.isForeign = true
    }

    /// Somebody has ended.
    mutating func removeUser(of address: DeviceAddress) {
        entries[address]?.users -= 1
        if entries[address]?.users == 0, entries[address]?.isForeign == true { entries[address] = nil }
    }

    /// Whether nobody uses the link any more, and it is ours to drop; strikes it out if so.
    mutating func removeIfUnused(_ address: DeviceAddress) -> Bool {
        guard let entry = entries[address], entry.users == 0 else { return false }
        entries[address] = nil
        return true
    }
}
