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
        defer { summarize() }
        try contents.circle.updateSelf(
            DeviceIdentity(publicKey: identity.keys.publicKey, name: name),
            key: identity.keys.advertisingKey,
            speaking: UInt32(ProtocolVersion.current.rawValue)
        )
        guard contents.configuredName != name.rawValue else { return }
        contents.configuredName = name.rawValue
        if ownName != name { try contents.circle.rename(identity.id, to: name, by: identity.id) }
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
    /// - Throws: ``HandoffError`` with `unknownDevice` or `stateUnwritable`; then nothing has changed.
    mutating func rename(_ id: DeviceID, to name: DeviceName) throws(HandoffError) {
        try replace { draft throws(HandoffError) in
            try draft.contents.circle.rename(id, to: name, by: draft.ownID ?? id)
        }
    }

    /// Merges the circle that the trusted device `peer` has sent; devices that it removes can no longer read this
    /// device.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`, `peerMisbehaved` or `stateUnwritable`; then nothing has changed.
    mutating func merge(
        _ message: CircleMessage,
        from peer: DeviceID,
        for identity: Identity
    ) throws(HandoffError) -> Changes {
        let theirs = try Circle(message)
        let old = self
        var draft = self
        // A key in its own circle is newer than the given key.
        if theirs[peer]?.advertisingKey != nil { draft.contents.peers[peer]?.givenKey = nil }
        if theirs == contents.circle, draft.contents.peers == contents.peers { return Changes() }
        let selfResult = try draft.contents.circle.merge(theirs, as: identity.id, newKey: AdvertisingKey.generate)
        if selfResult == .outdated { draft.isOutdated = true }
        _ = try Self.trial(of: draft.all, for: identity, failure: .peerMisbehaved)
        for (id, _) in draft.contents.circle.removals { draft.contents.peers[id] = nil }
        let merged = draft
        try replace { $0 = merged }
        var changes = changes(since: old)
        changes.isOutdated = selfResult == .outdated
        changes.isRenamed = old.ownName != ownName
        return changes
    }

    /// Records that `peer` has the state with that digest.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`.
    mutating func acknowledge(_ digest: [UInt8], by peer: DeviceID) throws(HandoffError) {
        guard self[peer] != nil, contents.peers[peer]?.digest != digest else { return }
        try replace { $0.contents.peers[peer, default: .init()].digest = digest }
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
        contents.peers[id, default: .init()].lastSeen = Self.hour(of: unixMicroseconds)
        // If the disk is full, it is known until the daemon stops, or is written with the next change.
        try? replace { _ in }
    }

    /// Leaves the circle: this device becomes a circle of its own, whose advertisements no former member can read.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then nothing has changed.
    mutating func leave() throws(HandoffError) {
        try replace { draft throws(HandoffError) in
            guard let own = draft.ownID else { return }
            try draft.contents.circle.leave(as: own, newKey: AdvertisingKey.generate)
            draft.contents.peers = [:]
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
