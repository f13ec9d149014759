package import HandoffCrypto
package import HandoffModel

/// The name and the public key by which a device is known to others.
package struct DeviceIdentity: Hashable, Sendable {
    package let publicKey: DevicePublicKey
    package let name: DeviceName

    package init(publicKey: DevicePublicKey, name: DeviceName) {
        self.publicKey = publicKey
        self.name = name
    }

    /// The device's id.
    package var id: DeviceID { publicKey.device }
}
