import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

extension TrustedDevices {
    /// What a merge with another device's circle has changed here.
    struct Changes: Hashable, Sendable {
        var added: [Device] = []
        var changed: [Device] = []
        var removed: [DeviceID] = []
        /// Whether the other devices knew a later state of this device than itself.
        var isOutdated = false
        /// Whether the name of this device has changed.
        var isRenamed = false
    }

    /// Sets which of the members is this device; a name that was changed in the configuration applies from now on.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    mutating func setOwnIdentity(_ identity: Identity, name: DeviceName) throws(HandoffError) {
        ownID = identity.id
        try edit { contents throws(HandoffError) in
            try contents.circle.updateSelf(
                DeviceIdentity(publicKey: identity.keys.publicKey, name: name),
                key: identity.keys.advertisingKey,
                speaking: UInt32(ProtocolVersion.current.rawValue)
            )
            guard contents.configuredName != name.rawValue else { return }
            contents.configuredName = name.rawValue
            guard contents.circle[identity.id]?.name != name else { return }
            try contents.circle.rename(identity.id, to: name, by: identity.id)
        }
    }

    /// This device as a member; nil before ``setOwnIdentity(_:name:)``.
    var own: Member? { ownID.flatMap { contents.circle[$0] } }
    /// The name of this device in the circle.
    var ownName: DeviceName? { own?.name }
    /// The key under which this device advertises.
    var ownKey: AdvertisingKey? { own?.advertisingKey }

    /// Returns what the circle knows about a device.
    func member(_ id: DeviceID) -> Member? { contents.circle[id] }

    /// Renames a device, which may be this one, on all devices of the circle.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice`; then nothing has changed.
    mutating func rename(_ id: DeviceID, to name: DeviceName) throws(HandoffError) {
        try edit { [ownID] contents throws(HandoffError) in
            try contents.circle.rename(id, to: name, by: ownID ?? id)
        }
    }

    /// Merges the circle that the trusted device `peer` has sent; devices that it removes can no longer read this
    /// device.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` or `peerMisbehaved`; then nothing has changed.
    mutating func merge(
        _ message: CircleMessage,
        from peer: DeviceID,
        for identity: Identity
    ) throws(HandoffError) -> Changes {
        let theirs = try Circle(message)
        guard theirs[peer] != nil else {
            throw HandoffError(.peerMisbehaved, "The peer sent a circle to which it does not belong itself.")
        }
        let old = self
        var draft = self
        // A key in its own circle is newer than the given key.
        if theirs[peer]?.advertisingKey != nil {
            draft.edit { $0.peers[peer]?.givenKey = nil }
        }
        if theirs == contents.circle, draft.contents.peers == contents.peers { return Changes() }
        var isOutdated = false
        try draft.edit { contents throws(HandoffError) in
            let result = try contents.circle.merge(theirs, as: identity.id, newKey: AdvertisingKey.generate)
            isOutdated = result == .outdated
            for (id, _) in contents.circle.removals { contents.peers[id] = nil }
        }
        if isOutdated { draft.isOutdated = true }
        _ = try Self.trial(of: draft.all, for: identity, failure: .peerMisbehaved)
        self = draft
        var changes = changes(since: old)
        changes.isOutdated = isOutdated
        changes.isRenamed = old.ownName != ownName
        return changes
    }

    /// Records that `peer` has the state with that digest.
    mutating func acknowledge(_ digest: [UInt8], by peer: DeviceID) {
        guard self[peer] != nil, contents.peers[peer]?.digest != digest else { return }
        edit { $0.peers[peer, default: .init()].digest = digest }
    }

    /// Whether a trusted device may not know the present state of the circle.
    func hasUpdate(for id: DeviceID) -> Bool {
        self[id] != nil && contents.peers[id]?.digest != digest
    }

    /// The time when a device was heard last before this run of the daemon, to the hour, in microseconds since 1970.
    func lastSeen(_ id: DeviceID) -> Int64? { contents.peers[id]?.lastSeen }

    /// Whether a device was not heard yet in this hour.
    func isFirstSeen(_ id: DeviceID, at unixMicroseconds: Int64) -> Bool {
        self[id] != nil && contents.peers[id]?.lastSeen != Self.hour(of: unixMicroseconds)
    }

    /// Records when a device was heard, to the hour.
    mutating func recordLastSeen(of id: DeviceID, at unixMicroseconds: Int64) {
        guard isFirstSeen(id, at: unixMicroseconds) else { return }
        edit { $0.peers[id, default: .init()].lastSeen = Self.hour(of: unixMicroseconds) }
    }

    /// Leaves the circle: this device becomes a circle of its own, whose advertisements no former member can read.
    mutating func leave() throws(HandoffError) {
        try edit { [ownID] contents throws(HandoffError) in
            guard let ownID else { return }
            try contents.circle.leave(as: ownID, newKey: AdvertisingKey.generate)
            contents.peers = [:]
        }
    }

    private static func hour(of unixMicroseconds: Int64) -> Int64 {
        unixMicroseconds - unixMicroseconds % 3_600_000_000
    }

    private func changes(since old: TrustedDevices) -> Changes {
        var changes = Changes()
        for device in all {
            let id = device.id
            if old[id] == nil {
                changes.added.append(device)
            } else if old.member(id) != member(id) {
                changes.changed.append(device)
            }
        }
        changes.removed = old.all.map(\.id).filter { self[$0] == nil }
        return changes
    }
}
