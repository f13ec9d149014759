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

    /// This device; another one after ``leave()``.
    private(set) var identity: Identity
    private(set) var contents: CircleFile.Contents
    /// The slot at which keys are kept (`DailyKey.kept(at:)`).
    private(set) var slot: UInt64
    /// The circle digest, by which two devices find out whether they know the same statements.
    private(set) var digest: [UInt8] = []
    /// The trusted devices, in the order of their ids.
    private(set) var ids: [DeviceID] = []
    /// All devices, by name.
    package private(set) var all: [Device] = []
    /// The keys that devices have told since these were the engine's last, as they were told: what is kept of them is moved
    /// to the day of this clock, from which no key leads back.
    var toldKeys: [DeviceID: CircleFile.Peer.Keys] = [:]
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
        self.init(try CircleFile.read(from: directory, for: identity, at: slot), of: identity, at: slot)
        configure(name)
    }

    /// Makes the devices of a file.
    init(_ contents: CircleFile.Contents, of identity: Identity, at slot: UInt64) {
        self.identity = identity
        self.slot = slot
        self.contents = contents
        keyIdentifiers = KeyIdentifierSource(identity.keys)
        summarize()
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

    /// The keys of directed advertisements between a device and this one.
    struct DirectedKeys: Sendable {
        /// The key that the other device has told; nil when it has told none that reaches the present day.
        let told: SealingKey?
        /// The key that follows from the two devices' key pairs, which neither of them can have lost.
        let paired: SealingKey
        /// The keys under which the other device may address this one.
        let receiving: [SealingKey]
    }

    /// Returns the keys of directed advertisements between a device and this one.
    ///
    /// - Throws: ``HandoffError`` with `stateDamaged` when the key of the device is unusable.
    func directedKeys(with id: DeviceID) throws(HandoffError) -> DirectedKeys? {
        guard let device = devices[id], let peer = contents.peers[id] else { return nil }
        do {
            let paired = try DirectedAdvertisingKeys(
                local: identity.keys.agreement,
                remote: device.publicKeys.agreement
            )
            return DirectedKeys(
                told: peer.sendingKey.flatMap { $0.reaches(slot) ? .daily($0) : nil },
                paired: paired.sending,
                receiving: [.daily(peer.receivingKey), paired.receiving]
            )
        } catch {
            throw HandoffError(.stateDamaged, error.message)
        }
    }

    /// Whether the same devices and this one use the same keys in `other`.
    func hasSameKeys(as other: TrustedDevices) -> Bool {
        identity.id == other.identity.id && contents.ownKey == other.contents.ownKey
            && slot == other.slot && contents.peers.mapValues(\.keys) == other.contents.peers.mapValues(\.keys)
    }

    /// Whether this device has no key with which it could read what a trusted one advertises to all at present.
    func lacksKey(of id: DeviceID) -> Bool { contents.peers[id]?.key?.daily.reaches(slot) != true }

    /// Whether it has one that is for another day than the present one: the clock of one of the two is wrong, or was when
    /// it was told or moved forward.
    ///
    /// - Parameter present: the present slot: the keys here are moved to a new day a slot after midnight, and the clock of the
    ///   other one may be a slot ahead.
    func hasKeyOfAnotherDay(of id: DeviceID, at present: UInt64) -> Bool {
        contents.peers[id]?.key?.daily.reaches(present &+ 1) == false
    }

    /// Moves all keys forward, so that nothing that was advertised on an earlier day than that of the slot before can
    /// be opened any more; returns this device's key if it had to be replaced, because it does not reach the slot.
    ///
    /// That is so after the clock was ahead and was set back, or was more than ten years behind: otherwise one moment with
    /// a wrong clock would make this device dumb for years. What others have told is kept, for the day on which it is right.
    ///
    /// - Parameter earlier: the keys as they were before the clock was set, which are used again where they are better.
    @discardableResult
    mutating func advance(to slot: UInt64, restoring earlier: EarlierKeys? = nil) -> AdvertisingKeyRecord.ID? {
        self.slot = slot
        let before = self
        var replacement: AdvertisingKeyRecord.ID?
        edit { contents in
            earlier?.restore(in: &contents, at: slot)
            contents.ownKey = contents.ownKey.kept(at: slot)
            for id in contents.peers.keys { contents.peers[id]?.keepKeys(at: slot) }
            guard !contents.ownKey.daily.reaches(slot) else { return }
            contents.ownKey = before.newKey()
            replacement = contents.ownKey.id
            for id in contents.peers.keys { contents.peers[id]?.replaceReceivingKey(at: slot) }
        }
        return replacement
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
        ids = devices.keys.sorted()
    }

    /// Whether a trusted device is known to lack a statement or this device's key, or this device lacks its key.
    func hasUpdate(for id: DeviceID) -> Bool {
        guard let peer = contents.peers[id] else { return false }
        return peer.toldDigest != digest || peer.knownKey != contents.ownKey.id || lacksKey(of: id)
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
    /// Makes a new key under which the other device addresses this one, if the present one is for another time.
    fileprivate mutating func replaceReceivingKey(at slot: UInt64) {
        if !receivingKey.reaches(slot) { receivingKey = .generate(day: DailyKey.keptDay(at: slot)) }
    }

    /// Moves the keys forward to those to keep during `slot`.
    fileprivate mutating func keepKeys(at slot: UInt64) {
        key = key?.kept(at: slot)
        sendingKey = sendingKey?.kept(at: slot)
        receivingKey = receivingKey.kept(at: slot)
    }
}
