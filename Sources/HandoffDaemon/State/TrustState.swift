import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// The engine's state of the circle, and the keys that follow from it.
struct TrustState: Sendable {
    let identity: Identity
    private(set) var devices: TrustedDevices
    /// Opens the advertisements of trusted devices.
    private(set) var opener = AdvertisementOpener(keys: [(AdvertisementSender, SealingKey)]())
    /// Finds out which trusted device opens a session.
    private(set) var trial: NoiseResponderTrial<DeviceID>
    var directedSchedule = DirectedAdvertisingSchedule()
    /// Detects advertisements under this device's own key that it has not sent.
    var ownKeyDetector = OwnKeyDetector(startSlot: Moment.now.slot)
    /// The keys for directed advertisements between each member and this device.
    private var directedKeys: [DeviceID: DirectedAdvertisingKeys] = [:]

    /// - Throws: ``HandoffError`` with `stateDamaged` when a device's key is unusable.
    init(_ devices: TrustedDevices, for identity: Identity) throws(HandoffError) {
        self.identity = identity
        self.devices = devices
        trial = try devices.trial(for: identity)
        try rekey()
    }

    /// The key under which this device advertises to the whole circle.
    var ownKey: AdvertisingKey { devices.ownKey ?? identity.keys.advertisingKey }

    /// Returns the key under which this device advertises to one member, or to the whole circle.
    func sendingKey(to member: DeviceID?) -> SealingKey {
        member.flatMap { directedKeys[$0]?.sending } ?? .constant(ownKey)
    }

    /// The circle, in the form of the protocol.
    var circle: CircleMessage { devices.contents.circle.message }

    /// The card with which another device can trust this one; it contains the present advertising key.
    ///
    /// - Throws: `CryptoError` when the name does not fit.
    var card: CardText {
        get throws(CryptoError) {
            try CardText(
                publicKey: identity.keys.publicKey,
                advertisingKey: ownKey,
                name: devices.ownName?.rawValue ?? ""
            )
        }
    }

    /// Opens an advertisement, at little cost if no trusted device has sealed it; then returns nil.
    mutating func open(_ data: [UInt8], slot: UInt64) -> AdvertisementOpener<AdvertisementSender>.Opened? {
        opener.open(data, slot: slot)
    }

    /// Replaces the devices, and everything that follows from them.
    ///
    /// - Throws: ``HandoffError`` with `stateDamaged` when a device's key is unusable; then nothing has changed.
    mutating func setDevices(_ devices: TrustedDevices) throws(HandoffError) {
        let hasSameKeys = devices.hasSameKeys(as: self.devices)
        var draft = self
        draft.devices = devices
        if !hasSameKeys {
            draft.trial = try devices.trial(for: identity)
            try draft.rekey()
        }
        self = draft
    }

    /// Records when devices were heard, in microseconds since 1970.
    mutating func recordLastSeen(_ heard: [DeviceID: Int64]) {
        for (device, time) in heard { devices.recordLastSeen(of: device, at: time) }
    }

    /// Recomputes what is derived from the devices' keys.
    private mutating func rekey() throws(HandoffError) {
        var directedKeys: [DeviceID: DirectedAdvertisingKeys] = [:]
        for device in devices.all {
            let known = self.directedKeys[device.id]
            directedKeys[device.id] = if let known { known } else { try Self.directedKeys(with: device, for: identity) }
        }
        self.directedKeys = directedKeys
        var keys: [(AdvertisementSender, SealingKey)] = devices.receivingKeys.map { (.all($0), .constant($1)) }
        keys += directedKeys.map { (.directed(from: $0), $1.receiving) }
        keys.append((.own, .constant(ownKey)))
        opener = AdvertisementOpener(keys: keys)
    }

    private static func directedKeys(
        with device: TrustedDevices.Device,
        for identity: Identity
    ) throws(HandoffError) -> DirectedAdvertisingKeys {
        do {
            return try DirectedAdvertisingKeys(local: identity.keys.agreement, remote: device.publicKey)
        } catch {
            throw HandoffError(.stateDamaged, error.message)
        }
    }
}
