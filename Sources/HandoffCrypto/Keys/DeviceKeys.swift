/// All secrets of this device: made once, kept for life.
package struct DeviceKeys: Sendable {
    /// The key by which the circle knows the device in sessions.
    package let agreement: AgreementKey

    /// The key under which its advertisements are sealed; replaced when a device leaves the circle.
    package let advertisingKey: AdvertisingKey

    /// New keys from the system's source of randomness.
    package static func generate() -> DeviceKeys {
        DeviceKeys(agreement: .generate(), advertisingKey: .generate())
    }

    /// Puts keys together that were kept elsewhere.
    package init(agreement: AgreementKey, advertisingKey: AdvertisingKey) {
        self.agreement = agreement
        self.advertisingKey = advertisingKey
    }

    /// The public half of ``agreement``.
    package var publicKey: DevicePublicKey { agreement.publicKey }
}
