package import HandoffCrypto

/// The identity that this device sends during pairing; the advertising key follows only after the user has compared the
/// digits.
package struct LocalIdentity: Hashable, Sendable {
    package let device: DeviceIdentity
    package let advertisingKey: AdvertisingKeyRecord

    package init(_ device: DeviceIdentity, advertisingKey: AdvertisingKeyRecord) {
        self.device = device
        self.advertisingKey = advertisingKey
    }
}
