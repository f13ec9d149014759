/// All secret keys of this device.
package struct DeviceKeys: Sendable {
    /// The static key that identifies the device in sessions with its circle.
    package let agreement: AgreementKey

    /// The key under which its advertisements are sealed; replaced when a device is removed from the circle.
    package let advertisingKey: AdvertisingKey

    /// Returns new keys from the system's random number generator.
    package static func generate() -> DeviceKeys {
        DeviceKeys(agreement: .generate(), advertisingKey: .generate())
    }

    /// Combines stored keys.
    package init(agreement: AgreementKey, advertisingKey: AdvertisingKey) {
        self.agreement = agreement
        self.advertisingKey = advertisingKey
    }

    /// The public key of ``agreement``.
    package var publicKey: DevicePublicKey { agreement.publicKey }
}
