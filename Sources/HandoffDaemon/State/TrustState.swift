import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// The engine's state of the circle, and the keys that follow from it.
struct TrustState: Sendable {
    private(set) var devices: TrustedDevices
    /// Why nothing of it can be kept at present; nil when it can.
    var stateObstacle: String?
    /// Opens the advertisements of trusted devices.
    private(set) var opener = AdvertisementOpener(keys: [(AdvertisementSender, SealingKey)]())
    /// Finds out which trusted device opens a session.
    private(set) var trial: SessionTrial
    var directedSchedule = DirectedAdvertisingSchedule()
    var greetings = MemberGreetings()
    /// With which devices an exchange was completed in this run.
    var confirmed = ConfirmedExchanges()
    /// The keys as they were before the clock moved them to another day; nil when there are none, or the clock is right.
    var earlierKeys: EarlierKeys?
    /// Whether the clock was not set for so long that it counts as right.
    var isClockSettled = false
    /// Detects advertisements under this device's own key that it has not sent.
    var ownKeyDetector: OwnKeyDetector
    /// For each device that has told the same advertising key as another one, all devices that have told it.
    private var sharedKeys: [DeviceID: [DeviceID]] = [:]
    /// The keys of directed advertisements to each device.
    private var directedKeys: [DeviceID: TrustedDevices.DirectedKeys] = [:]
    /// The key of advertisements to a copy of this device.
    private var copyKey: SealingKey

    /// - Throws: ``HandoffError`` with `stateDamaged` when a device's key is unusable.
    init(_ devices: TrustedDevices, at now: Moment) throws(HandoffError) {
        self.devices = devices
        ownKeyDetector = OwnKeyDetector(startSlot: now.slot)
        trial = try devices.trial()
        copyKey = try devices.copyKeys.sending
        try rekey()
    }

    /// This device.
    var identity: Identity { devices.identity }

    /// The key under which this device advertises to the whole circle.
    var ownKey: SealingKey { .daily(devices.ownKey.daily) }

    /// Returns the key under which this device advertises to one device, or to the whole circle.
    ///
    /// With a device with which an exchange is due, it is the key that neither of the two can have lost.
    func sendingKey(to device: DeviceID?, at uptime: Duration) -> SealingKey {
        guard let device else { return ownKey }
        guard device != identity.id else { return copyKey }
        guard let keys = directedKeys[device] else { return ownKey }
        return confirmed.isDue(with: device, at: uptime) ? keys.paired : keys.told ?? keys.paired
    }

    /// Whether a trusted device may lack something of this device, or this device something of it.
    func needsExchange(with device: DeviceID, at uptime: Duration) -> Bool {
        devices.hasUpdate(for: device) || devices[device] != nil && confirmed.isDue(with: device, at: uptime)
    }

    /// The trusted devices that may lack something of this device, or of which this device may, in the order of their ids.
    func lagging(at uptime: Duration) -> [DeviceID] {
        devices.ids.filter { needsExchange(with: $0, at: uptime) }
    }

    /// The devices that get turns of the advertisement, in the order of their ids.
    ///
    /// A device whose state is an old copy is among them: if another machine uses the other copy, the two have different
    /// advertising keys by now, and find each other by this.
    func turnTakers(at uptime: Duration) -> [DeviceID] {
        let lagging = lagging(at: uptime)
        return devices.isOutdated ? (lagging + [identity.id]).sorted() : lagging
    }

    /// What an exchange with the other devices would change: the statements, and this device's key.
    var updateID: [UInt8] { devices.digest + devices.ownKey.id.bytes }

    /// The card with which another device can trust this one.
    ///
    /// - Throws: `CryptoError` when the name does not fit.
    var card: CardText {
        get throws(CryptoError) {
            try CardText(publicKeys: identity.keys.publicKeys, name: devices.ownName.rawValue)
        }
    }

    /// Opens an advertisement, at little cost if no trusted device has sealed it; then returns nil.
    mutating func open(_ data: [UInt8], slot: UInt64) -> AdvertisementOpener<AdvertisementSender>.Opened? {
        opener.open(data, slot: slot)
    }

    /// Returns the devices that may have sent an advertisement.
    ///
    /// There are several when a device has told the key of another one as its own: then each of them counts, so that
    /// it cannot take the other's advertisements away.
    func devices(of sender: AdvertisementSender) -> [DeviceID] {
        guard let device = sender.device else { return [] }
        return sender.isDirected ? [device] : sharedKeys[device] ?? [device]
    }

    /// Replaces the devices, and everything that follows from them.
    ///
    /// - Throws: ``HandoffError`` with `stateDamaged` when a device's key is unusable; then nothing has changed.
    mutating func setDevices(_ devices: TrustedDevices) throws(HandoffError) {
        let hasSameKeys = devices.hasSameKeys(as: self.devices)
        var draft = self
        draft.devices = devices
        if devices.identity.id != identity.id {
            draft.ownKeyDetector = OwnKeyDetector(startSlot: Moment.now.slot)
        }
        // A device that is not trusted any more may have the own key of before: it never comes back.
        if devices.ids != self.devices.ids {
            draft.earlierKeys?.forgetOwnKey()
            draft.earlierKeys?.keepOnly(devices.ids)
        }
        if devices.identity.id != identity.id { draft.earlierKeys = nil }
        draft.keepToldKeys()
        if !hasSameKeys {
            draft.trial = try devices.trial()
            try draft.rekey()
        }
        self = draft
    }

    /// Records when devices were heard, in microseconds since 1970.
    mutating func recordLastSeen(_ heard: [DeviceID: Int64]) {
        for (device, time) in heard { devices.recordLastSeen(of: device, at: time) }
    }

    /// Moves the keys forward in memory, when they cannot be written.
    mutating func advance(to slot: UInt64) throws(HandoffError) {
        var draft = devices
        let before = devices.contents
        let replacement = draft.advance(to: slot, restoring: earlierKeys)
        try setDevices(draft)
        keepEarlierKeys(of: before, replacedBy: replacement)
    }

    /// Remembers the keys as they were before the clock has moved them: it may be set right soon.
    ///
    /// - Parameters:
    ///   - before: what has had the keys.
    ///   - replacement: the key that has taken the place of this device's own; nil when none has.
    mutating func keepEarlierKeys(of before: CircleFile.Contents, replacedBy replacement: AdvertisingKeyRecord.ID?) {
        if before != devices.contents {
            if earlierKeys == nil { earlierKeys = EarlierKeys(of: before) } else { earlierKeys?.add(before) }
        }
        if let replacement { earlierKeys?.replacement = replacement }
    }

    /// Remembers the keys that devices have told, unless this clock is right.
    private mutating func keepToldKeys() {
        if !isClockSettled {
            for (id, told) in devices.toldKeys where devices[id] != nil {
                if earlierKeys == nil { earlierKeys = EarlierKeys() }
                earlierKeys?.take(told, from: id)
            }
        }
        devices.toldKeys = [:]
    }

    /// Recomputes what is derived from the devices' keys.
    private mutating func rekey() throws(HandoffError) {
        directedKeys = [:]
        var keys: [(AdvertisementSender, SealingKey)] = devices.receivingKeys.map { (.all($0), .daily($1)) }
        for device in devices.all {
            guard let directed = try devices.directedKeys(with: device.id) else { continue }
            directedKeys[device.id] = directed
            keys += directed.receiving.map { (.directed(from: device.id), $0) }
        }
        let copies = try devices.copyKeys
        copyKey = copies.sending
        // A device that tells this device's own key as its own must not hide what a copy of this device sends.
        keys.insert(contentsOf: [(.own, ownKey), (.own, copies.receiving)], at: 0)
        sharedKeys = Self.sharedKeys(devices.receivingKeys, at: devices.slot)
        opener = AdvertisementOpener(keys: keys)
    }

    /// Returns, for each device whose key another one has too, the devices with that key, in the order of their ids.
    private static func sharedKeys(
        _ keys: [(device: DeviceID, key: DailyKey)],
        at slot: UInt64
    ) -> [DeviceID: [DeviceID]] {
        // A key may have been told for another day than the key that it follows from: they meet on a later day.
        let day = DailyKey.keptDay(at: slot) + 2
        let devices = Dictionary(grouping: keys) { $0.key.advanced(to: day) ?? $0.key }.values
            .filter { $0.count > 1 }
            .map { $0.map(\.device).sorted() }
        return devices.reduce(into: [:]) { result, devices in for device in devices { result[device] = devices } }
    }
}
