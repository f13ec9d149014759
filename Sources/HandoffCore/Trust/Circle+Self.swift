package import HandoffCrypto
package import HandoffModel

extension Circle {
    /// What a device found out about itself from what the others know.
    package enum SelfMergeResult: Hashable, Sendable {
        /// Nothing new.
        case unchanged
        /// The others had an outdated description, which has been put right.
        case corrected
        /// The others know a later key than the device itself: its state is an old copy, or somebody uses a copy of it.
        case outdated
    }

    /// Says what this device is; name and key count only if it has none yet.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    package mutating func updateSelf(
        _ identity: DeviceIdentity,
        key: AdvertisingKey,
        speaking protocolVersion: UInt32
    ) throws(HandoffError) {
        let id = identity.publicKey.device
        if self[id] == nil { try insert(identity, by: nil) }
        try update(id) { member in
            member.advertisingKey = member.advertisingKey ?? key
            member.protocolVersion = protocolVersion
        }
    }

    /// Ends a device's membership, and gives the device `own` another key than the removed one knows.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `limitReached`.
    package mutating func remove(
        _ id: DeviceID,
        as own: DeviceID,
        newKey: () -> AdvertisingKey
    ) throws(HandoffError) {
        var draft = self
        try draft.remove(id)
        try draft.renewKey(of: own, to: newKey())
        self = draft
    }

    /// Forgets all others, members and removed, and gives the device `own` another key than they know.
    ///
    /// Their removals are forgotten too: when the device comes back one day, they must not reach those that it left.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice`.
    package mutating func leave(as own: DeviceID, newKey: () -> AdvertisingKey) throws(HandoffError) {
        guard let member = self[own] else {
            throw HandoffError(.unknownDevice, "The device \(own) does not belong to the circle.")
        }
        var draft = Circle()
        draft.set(.member(member), of: own)
        try draft.renewKey(of: own, to: newKey())
        self = draft
    }

    /// Joins what another device knows into what the device `own` knows.
    ///
    /// A key is the device's own word: what others know of it is put right. When they know a later one than the device, it
    /// has lost what it said, and says something later still. Whoever was removed must not read it any more: then, too, it
    /// gets another key from `newKey`.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when the other counts `own` as removed, or `limitReached` when there
    ///   would be too many members; then nothing has changed.
    package mutating func merge(
        _ other: Circle,
        as own: DeviceID,
        newKey: () -> AdvertisingKey
    ) throws(HandoffError) -> SelfMergeResult {
        var draft = self
        try draft.merge(other)
        guard other.removal(of: own) == nil, let before = self[own], draft[own] != nil else {
            throw HandoffError(.peerMisbehaved, "The peer says that this device does not belong to the circle.")
        }
        let selfResult = try draft.reassert(before, newKey: newKey)
        let isRemovalNew = draft.removals.contains { id, removal in
            (self.removal(of: id)?.generation).map { $0 < removal.generation } ?? true
        }
        if isRemovalNew { try draft.renewKey(of: own, to: newKey()) }
        self = draft
        return selfResult
    }

    private mutating func reassert(
        _ before: Member,
        newKey: () -> AdvertisingKey
    ) throws(HandoffError) -> SelfMergeResult {
        guard let now = self[before.id], now != before else { return .unchanged }
        if now.advertisingKeyVersion > before.advertisingKeyVersion {
            let key = newKey()
            try update(before.id) { $0.renewKey(to: key) }
            return .outdated
        }
        guard now.advertisingKeyVersion < before.advertisingKeyVersion || now.advertisingKey != before.advertisingKey
        else { return .unchanged }
        try update(before.id) { member in
            let isOlder = member.advertisingKeyVersion < before.advertisingKeyVersion || member.advertisingKey == nil
            member.advertisingKeyVersion = before.advertisingKeyVersion
            member.advertisingKey = before.advertisingKey
            member.protocolVersion = before.protocolVersion
            // The others have a different key under the same number: only a higher one tells them which is right.
            if !isOlder, let key = before.advertisingKey { member.renewKey(to: key) }
        }
        return .corrected
    }
}
