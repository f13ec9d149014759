/// The secret keys that identify this device.
package struct DeviceKeys: Sendable {
    /// The static key that identifies the device in sessions with its circle.
    package let agreement: AgreementKey

    /// The key with which the device signs.
    package let signing: SigningKey

    /// The public halves of ``agreement`` and ``signing``.
    package let publicKeys: DevicePublicKeys

    /// Returns new keys from the system's random number generator.
    package static func generate() -> DeviceKeys {
        DeviceKeys(agreement: .generate(), signing: .generate())
    }

    /// Combines stored keys.
    package init(agreement: AgreementKey, signing: SigningKey) {
        self.agreement = agreement
        self.signing = signing
        publicKeys = DevicePublicKeys(of: agreement, signing)
    }
}
