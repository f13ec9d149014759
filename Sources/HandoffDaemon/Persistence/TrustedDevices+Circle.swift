import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// What the person at this device decides.
extension TrustedDevices {
    /// Trusts a device, or renames one that is trusted already.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - key: its advertising key, if it has told it.
    ///   - ownKey: the new advertising key of this device that was told to it; nil when none was.
    /// - Throws: ``HandoffError`` with `ownCard`, `limitReached`, `invalidCard` or `deviceRemoved`; then nothing has
    ///   changed.
    mutating func insert(
        _ device: DeviceIdentity,
        key: AdvertisingKeyRecord? = nil,
        toldKey ownKey: AdvertisingKeyRecord? = nil
    ) throws(HandoffError) {
        guard device.id != identity.id else {
            throw HandoffError(.ownCard, "This card is this device's own; trust it on your other device instead.")
        }
        try checkKey(of: device)
        let (sign, slot) = (signer, slot)
        try edit { contents throws(HandoffError) in
            try contents.circle.add(device, sign: sign)
            if let ownKey { contents.ownKey = ownKey.kept(at: slot) }
        }
        edit { contents in
            if let key { contents.peers[device.id]?.key = key.kept(at: slot) }
            if let ownKey { contents.peers[device.id]?.knownKey = ownKey.id }
        }
        if let key { toldKeys[device.id] = CircleFile.Peer.Keys(key: key) }
    }

    /// Removes a known device for ever, and makes this device's advertisements unreadable for it.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `limitReached`; then nothing has changed.
    mutating func remove(_ id: DeviceID) throws(HandoffError) {
        let sign = signer
        try edit { contents throws(HandoffError) in try contents.circle.remove(id, sign: sign) }
    }

    /// Trusts a known device again, whoever has removed or brought it.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `limitReached`; then nothing has changed.
    mutating func keep(_ id: DeviceID) throws(HandoffError) {
        let sign = signer
        try edit { contents throws(HandoffError) in try contents.circle.keep(id, sign: sign) }
    }

    /// Renames a device, which may be this one, on all devices of the circle.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `limitReached`; then nothing has changed.
    mutating func rename(_ id: DeviceID, to name: DeviceName) throws(HandoffError) {
        let sign = signer
        try edit { contents throws(HandoffError) in try contents.circle.rename(id, to: name, sign: sign) }
    }

    /// The known devices about which the person has to decide, in the order of their ids.
    var questions: [Member] { contents.circle.known.filter(\.standing.isQuestion) }

    private func checkKey(of device: DeviceIdentity) throws(HandoffError) {
        do {
            _ = try DirectedAdvertisingKeys(local: identity.keys.agreement, remote: device.publicKeys.agreement)
        } catch {
            throw HandoffError(.invalidCard, error.message)
        }
    }
}

/// What other devices say.
extension TrustedDevices {
    /// What a message of another device has changed here.
    struct Changes: Hashable, Sendable {
        var added: [Device] = []
        var changed: [Device] = []
        var removed: [Device] = []
        /// The devices about which the person has to decide now, and had not before.
        var questions: [Member] = []
        /// Whether the other device had a key of this device that this device does not know.
        var isOutdated = false
        /// Whether the name or the id of this device has changed.
        var isRenamed = false
        /// Whether there are other questions than before.
        var areQuestionsChanged = false

        /// Whether what this device shows of itself has changed.
        var isIdentityChanged: Bool { isRenamed || isOutdated || areQuestionsChanged }
        /// Whether a person should know.
        var isEmpty: Bool { added.isEmpty && removed.isEmpty && questions.isEmpty }
    }

    /// Returns what this device tells a trusted device: its statements, unless the other's have the same digest, and
    /// its keys; nil when the device is not trusted.
    func message(for peer: DeviceID, knowing digest: [UInt8]?) -> CircleMessage? {
        guard let known = contents.peers[peer] else { return nil }
        return CircleMessage(
            statements: digest == self.digest ? nil : contents.circle.statements.map(\.bytes),
            digest: self.digest,
            advertisingKey: contents.ownKey.rawRepresentation,
            directedKey: known.receivingKey.key.rawRepresentation,
            knownKey: known.key?.id.bytes
        )
    }

    /// Takes in what the trusted device `peer` has sent under a session's key.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when its keys are unusable; then nothing has changed.
    mutating func receive(_ message: CircleMessage, from peer: DeviceID) throws(HandoffError) -> Changes {
        let (key, directedKey, knownKey) = try Self.keys(in: message)
        let old = self
        let slot = slot
        edit { contents in
            contents.circle.join((message.statements ?? []).compactMap(SignedStatement.init(bytes:)))
        }
        var changes = Changes()
        edit { contents in
            contents.peers[peer]?.take(key.kept(at: slot), sendingKey: directedKey.kept(at: slot))
            contents.peers[peer]?.knownKey = knownKey
            contents.peers[peer]?.digest = message.digest
            guard let knownKey, contents.peers[peer] != nil, knownKey != contents.ownKey.id,
                let number = old.keyIdentifiers.number(of: knownKey), number >= contents.keyNumber
            else { return }
            // A key with the number of the present one may have been told and never used.
            changes.isOutdated = number > contents.keyNumber
            contents.ownKey = old.newKey(after: number)
        }
        toldKeys[peer] = CircleFile.Peer.Keys(key: key, sendingKey: directedKey)
        if changes.isOutdated { isOutdated = true }
        let isOutdated = changes.isOutdated
        changes = self.changes(since: old)
        changes.isOutdated = isOutdated
        return changes
    }

    /// Records whether `peer`, with which an exchange was completed, knows all statements that this device knows.
    ///
    /// - Parameters:
    ///   - peer: the other device.
    ///   - sent: the digest of the statements that it has received from this device.
    ///   - theirs: the digest that it has told afterwards.
    mutating func completeExchange(with peer: DeviceID, sent: [UInt8], theirs: [UInt8]) {
        let digest = digest
        edit { contents in
            if sent == digest || theirs == digest { contents.peers[peer]?.toldDigest = digest }
        }
    }

    /// Whether a device that tells this digest beside an answer knows other statements than at the last exchange.
    func isNews(_ digest: [UInt8], from peer: DeviceID) -> Bool {
        guard let known = contents.peers[peer] else { return false }
        return digest != self.digest && digest != known.digest
    }

    private static func keys(
        in message: CircleMessage
    ) throws(HandoffError) -> (AdvertisingKeyRecord, directed: DailyKey, known: AdvertisingKeyRecord.ID?) {
        do {
            let key = try AdvertisingKeyRecord(rawRepresentation: message.advertisingKey)
            let directed = DailyKey(
                key: try AdvertisingKey(rawRepresentation: message.directedKey),
                day: key.daily.day
            )
            return (
                key, directed,
                try message.knownKey.map { bytes throws(CryptoError) in
                    try AdvertisingKeyRecord.ID(bytes: bytes)
                }
            )
        } catch {
            throw HandoffError(.peerMisbehaved, error.message)
        }
    }
}

extension TrustedDevices {
    /// Returns how the trusted devices differ from those of an earlier time.
    func changes(since old: TrustedDevices) -> Changes {
        var changes = Changes()
        for device in all {
            guard let before = old[device.id] else {
                changes.added.append(device)
                continue
            }
            if before != device { changes.changed.append(device) }
        }
        changes.removed = old.all.filter { self[$0.id] == nil }
        let known = Set(old.questions.map(\.id))
        changes.questions = questions.filter { !known.contains($0.id) }
        changes.areQuestionsChanged = questions != old.questions
        changes.isRenamed = old.ownName != ownName || old.identity.id != identity.id
        return changes
    }
}

// MARK: Contact

extension TrustedDevices {
    /// The time when a device was heard last before this run of the daemon, to the hour, in microseconds since 1970.
    func lastSeen(_ id: DeviceID) -> Int64? { contents.peers[id]?.lastSeen }

    /// Whether a device was not heard yet in this hour.
    func isFirstSeen(_ id: DeviceID, at unixMicroseconds: Int64) -> Bool {
        self[id] != nil && contents.peers[id]?.lastSeen != Self.hour(of: unixMicroseconds)
    }

    /// Records when a device was heard, to the hour.
    mutating func recordLastSeen(of id: DeviceID, at unixMicroseconds: Int64) {
        guard isFirstSeen(id, at: unixMicroseconds) else { return }
        edit { $0.peers[id]?.lastSeen = Self.hour(of: unixMicroseconds) }
    }

    private static func hour(of unixMicroseconds: Int64) -> Int64 {
        unixMicroseconds - unixMicroseconds % 3_600_000_000
    }
}
