package import HandoffCore
package import HandoffCrypto
package import HandoffModel

/// The devices that this one trusts, what is known about them, and this device's own advertising key.
///
/// A value; the engine keeps it in the state directory. Keys move forward with the slot (`advance(to:)`).
package struct TrustedDevices: Sendable {
    /// A trusted device.
    package struct Device: Hashable, Sendable {
        package let id: DeviceID
        package let name: DeviceName
        package let publicKeys: DevicePublicKeys
        /// The trusted device that brought it.
        package let introducedBy: DeviceID?
    }

    /// How many days after an exchange with a device there is another one, although nothing has changed here.
    ///
    /// The other device may have changed: its state may be an old copy, without the keys that it was told.
    static let exchangeDays: UInt32 = 7

    /// This device; another one after ``leave()``.
    private(set) var identity: Identity
    private(set) var contents: CircleFile.Contents
    /// The slot at which keys are kept (`DailyKey.kept(at:)`).
    private(set) var slot: UInt64
    /// The circle digest, by which two devices find out whether they know the same statements.
    private(set) var digest: [UInt8] = []
    /// The trusted devices that may not know all statements or this device's key, in the order of their ids.
    private(set) var lagging: [DeviceID] = []
    /// The trusted devices with which no exchange was completed lately.
    private(set) var overdue: Set<DeviceID> = []
    /// All devices, by name.
    package private(set) var all: [Device] = []
    /// Whether another device has had a key of this device that it does not know, in this run of the daemon.
    var isOutdated = false
    private var devices: [DeviceID: Device] = [:]
    /// Makes and recognizes the identifiers of this device's keys.
    private(set) var keyIdentifiers: KeyIdentifierSource

    /// Loads the devices in `directory`; none when the file does not exist yet.
    ///
    /// A name that was changed in the configuration applies from now on. Keys are as old as they were written
    /// (`advance(to:)`).
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    package init(
        from directory: StateDirectory,
        for identity: Identity,
        named name: DeviceName,
        at slot: UInt64
    ) throws(HandoffError) {
        self.identity = identity
        self.slot = slot
        keyIdentifiers = KeyIdentifierSource(identity.keys)
        contents = try CircleFile.read(from: directory, for: identity, at: slot)
        summarize()
        configure(name)
    }

    /// Gives this device the name of the configuration, unless that is the one of the last time: the user may have
    /// renamed the device since.
    mutating func configure(_ name: DeviceName) {
        guard contents.configuredName != name.rawValue else { return }
        let (sign, device) = (signer, identity.id)
        // A circle without room for another name must not keep the daemon from starting: it is tried again at the next
        // start.
        try? edit { contents throws(HandoffError) in
            contents.configuredName = name.rawValue
            guard contents.circle.name(of: device) != name else { return }
            try contents.circle.rename(device, to: name, sign: sign)
        }
    }

    package var isEmpty: Bool { devices.isEmpty }

    /// Returns the device with that id, if it is trusted.
    package subscript(id: DeviceID) -> Device? { devices[id] }

    /// The key under which this device advertises.
    var ownKey: AdvertisingKeyRecord { contents.ownKey }
    /// The name of this device in the circle.
    var ownName: DeviceName { contents.circle.name(of: identity.id) }

    /// Signs the statements of this device.
    var signer: Circle.Signer {
        let key = identity.keys.signing
        return { SignedStatement($0, signedBy: key) }
    }

    // MARK: Keys

    /// The keys under which these devices advertise to the whole circle.
    var receivingKeys: [(device: DeviceID, key: DailyKey)] {
        contents.peers.compactMap { id, peer in peer.key.map { (id, $0.daily) } }
    }

    /// The keys under which copies of this device advertise to each other, which follow from its key pair.
    ///
    /// - Throws: ``HandoffError`` with `stateDamaged` when this device's key is unusable.
    var copyKeys: DirectedAdvertisingKeys {
        get throws(HandoffError) {
            do {
                let keys = identity.keys
                return try DirectedAdvertisingKeys(local: keys.agreement, remote: keys.publicKeys.agreement)
            } catch {
                throw HandoffError(.stateDamaged, error.message)
            }
        }
    }

    /// Returns the keys of directed advertisements between a device and this one: in each direction that of the
    /// receiver.
    ///
    /// The sending one follows from the two devices' key pairs as long as the other device has not told one, and
    /// while an exchange with it is overdue.
    ///
    /// - Throws: ``HandoffError`` with `stateDamaged` when the key of the device is unusable.
    func directedKeys(with id: DeviceID) throws(HandoffError) -> (sending: SealingKey, receiving: [SealingKey])? {
        guard let device = devices[id], let peer = contents.peers[id] else { return nil }
        do {
            let paired = try DirectedAdvertisingKeys(
                local: identity.keys.agreement,
                remote: device.publicKeys.agreement
            )
            // If its state is an old copy, it may not know the key that it has told. A key of a day that this clock has not
            // reached comes from a device whose clock was wrong.
            let told = overdue.contains(id) ? nil : peer.sendingKey.flatMap { $0.reaches(slot) ? $0 : nil }
            let sending = told.map(SealingKey.daily) ?? paired.sending
            return (sending, [.daily(peer.receivingKey), paired.receiving])
        } catch {
            throw HandoffError(.stateDamaged, error.message)
        }
    }

    /// Whether the same devices and this one use the same keys in `other`.
    func hasSameKeys(as other: TrustedDevices) -> Bool {
        identity.id == other.identity.id && contents.ownKey == other.contents.ownKey
            && overdue == other.overdue && contents.peers.mapValues(\.keys) == other.contents.peers.mapValues(\.keys)
    }

    /// Moves all keys forward, so that nothing that was advertised on an earlier day than that of the slot before can
    /// be opened any more; returns whether a key has changed, which has to be written then.
    ///
    /// When this device's key does not reach the slot, because the clock was ahead and was set back, or was more than ten
    /// years behind, it is replaced, and so are the other keys that do not: otherwise one moment with a wrong clock would
    /// make this device deaf and dumb for years.
    @discardableResult
    mutating func advance(to slot: UInt64) -> Bool {
        self.slot = slot
        let before = self
        edit { contents in
            contents.ownKey = contents.ownKey.kept(at: slot)
            for id in contents.peers.keys { contents.peers[id]?.keepKeys(at: slot) }
            guard !contents.ownKey.daily.reaches(slot) else { return }
            contents.ownKey = before.newKey()
            for id in contents.peers.keys { contents.peers[id]?.replaceKeys(thatDoNotReach: slot) }
        }
        return contents != before.contents
    }

    // MARK: Changes

    /// Changes the contents, and recomputes what is derived from them.
    ///
    /// When the set of trusted devices has changed, this device gets a new advertising key in the same step, and what
    /// was known about devices that are not trusted any more is forgotten.
    ///
    /// - Throws: what `change` throws; then nothing has changed.
    mutating func edit<Failure: Error>(_ change: (inout CircleFile.Contents) throws(Failure) -> Void) throws(Failure) {
        var draft = contents
        try change(&draft)
        let trusted = draft.circle.trustedIDs
        if trusted != Set(contents.peers.keys) {
            for id in trusted where draft.peers[id] == nil {
                let key = DailyKey.generate(day: DailyKey.keptDay(at: slot))
                draft.peers[id] = CircleFile.Peer(receivingKey: key)
            }
            draft.peers = draft.peers.filter { trusted.contains($0.key) }
            if draft.ownKey == contents.ownKey { draft.ownKey = newKey(after: draft.keyNumber) }
        }
        draft.keyNumber = max(draft.keyNumber, keyIdentifiers.number(of: draft.ownKey.id) ?? 0)
        contents = draft
        summarize()
    }

    /// Leaves the circle: this device becomes another one with new keys, alone in a circle of its own, whose
    /// advertisements no former member can read.
    mutating func leave() {
        let (name, configuredName) = (ownName, contents.configuredName)
        identity = Identity(keys: .generate())
        keyIdentifiers = KeyIdentifierSource(identity.keys)
        contents = CircleFile.Contents(of: identity, at: slot)
        contents.configuredName = configuredName
        isOutdated = false
        try? contents.circle.rename(identity.id, to: name, sign: signer)
        summarize()
    }

    /// Returns a new advertising key of this device for the present day, with the next number.
    ///
    /// Where it is told before it is used, ``reserveKeyNumber()`` records that.
    func newKey() -> AdvertisingKeyRecord { newKey(after: contents.keyNumber) }

    /// Records that ``newKey()`` may have been told to a device.
    mutating func reserveKeyNumber() {
        edit { $0.keyNumber = Self.number(after: $0.keyNumber) }
    }

    func newKey(after number: UInt16) -> AdvertisingKeyRecord {
        .generate(day: DailyKey.keptDay(at: slot), id: keyIdentifiers.identifier(of: Self.number(after: number)))
    }

    private static func number(after number: UInt16) -> UInt16 { number == .max ? .max : number + 1 }

    private mutating func summarize() {
        digest = contents.circle.digest
        devices = [:]
        for member in contents.circle.members {
            devices[member.id] = Device(
                id: member.id,
                name: member.name,
                publicKeys: member.keys,
                introducedBy: member.introducedBy
            )
        }
        all = devices.values.sorted { ($0.name.rawValue, $0.id) < ($1.name.rawValue, $1.id) }
        overdue = Set(devices.keys.filter(isOverdue))
        lagging = devices.keys.sorted().filter(hasUpdate)
    }

    /// Whether a trusted device may not know all statements, or this device's key.
    func hasUpdate(for id: DeviceID) -> Bool {
        guard let peer = contents.peers[id] else { return false }
        return overdue.contains(id) || peer.toldDigest != digest || peer.knownKey != contents.ownKey.id
    }

    /// Whether no exchange with a trusted device was completed lately, by this device's clock.
    private func isOverdue(_ id: DeviceID) -> Bool {
        guard let last = contents.peers[id]?.lastExchange else { return true }
        let today = DailyKey.keptDay(at: slot)
        // A day in the future was told by a clock that was wrong.
        return last > today + 1 || today >= last + Self.exchangeDays
    }

    /// Whether no trusted device is known to have the key under which this one advertises.
    var isReadByNone: Bool { contents.peers.values.allSatisfy { $0.knownKey != contents.ownKey.id } }

    /// Returns the trial that finds out which of these devices, or a copy of this one, is the caller.
    ///
    /// - Throws: ``HandoffError`` with `stateDamaged` when one of them has an insecure public key.
    func trial() throws(HandoffError) -> SessionTrial {
        do {
            return try SessionTrial(identity.keys, devices: all.map(\.publicKeys) + [identity.keys.publicKeys])
        } catch {
            throw HandoffError(.stateDamaged, error.message)
        }
    }
}

extension CircleFile.Peer {
    fileprivate struct Keys: Hashable {
        let key: AdvertisingKeyRecord?
        let sendingKey: DailyKey?
        let receivingKey: DailyKey
    }

    fileprivate var keys: Keys { Keys(key: key, sendingKey: sendingKey, receivingKey: receivingKey) }

    /// Forgets the other device's keys, and replaces this device's, where the clock was wrong when they were moved
    /// forward or told.
    fileprivate mutating func replaceKeys(thatDoNotReach slot: UInt64) {
        if key?.daily.reaches(slot) == false { key = nil }
        if sendingKey?.reaches(slot) == false { sendingKey = nil }
        if !receivingKey.reaches(slot) { receivingKey = .generate(day: DailyKey.keptDay(at: slot)) }
    }

    /// Moves the keys forward to those to keep during `slot`.
    fileprivate mutating func keepKeys(at slot: UInt64) {
        key = key?.kept(at: slot)
        sendingKey = sendingKey?.kept(at: slot)
        receivingKey = receivingKey.kept(at: slot)
    }
}
