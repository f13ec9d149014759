package import HandoffCrypto
package import HandoffModel

extension Circle {
    /// What a merge has changed about this device's own description.
    package enum SelfMergeResult: Hashable, Sendable {
        /// Nothing has changed.
        case unchanged
        /// The others had an outdated description, which has been corrected.
        case corrected
        /// The others have a later key than this device: its state is an old copy, or another device uses a copy of it.
        case outdated
    }

    /// Sets the description of this device; name and key are used only if it has none yet.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    package mutating func updateSelf(
        _ identity: DeviceIdentity,
        key: AdvertisingKey,
        speaking protocolVersion: UInt32
    ) throws(HandoffError) {
        let id = identity.id
        if self[id] == nil { try insert(identity, by: nil) }
        try update(id) { member in
            member.advertisingKey = member.advertisingKey ?? key
            member.protocolVersion = protocolVersion
        }
    }

    /// Ends a device's membership, and gives the device `own` a new key that the removed one does not know.
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

    /// Removes all other members and all removals, and gives the device `own` a new key that the others do not know.
    ///
    /// Removals are dropped as well: if the device rejoins later, they must not reach the devices that it left.
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

    /// Merges another device's copy into the copy of the device `own`.
    ///
    /// Each device is the authority on its own key: other descriptions of it are corrected. When the others have a
    /// later key, this device has lost its own state, and replaces the key by a still later one. A removed device must
    /// not be able to read future advertisements: after a new removal, too, this device gets another key from `newKey`.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when the other copy has `own` as removed, or `limitReached`
    ///   when there would be too many members; the circle is then unchanged.
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
            // The others have a different key under the same version: only a higher version shows them which is right.
            if !isOlder, let key = before.advertisingKey { member.renewKey(to: key) }
        }
        return .corrected
    }
}
