package import HandoffCrypto

/// The identity that this device sends during pairing; the advertising key follows only after the user has compared the
/// digits.
package struct LocalIdentity: Hashable, Sendable {
    package let device: DeviceIdentity
    package let advertisingKey: AdvertisingKey

    package init(_ device: DeviceIdentity, advertisingKey: AdvertisingKey) {
        self.device = device
        self.advertisingKey = advertisingKey
    }
}
