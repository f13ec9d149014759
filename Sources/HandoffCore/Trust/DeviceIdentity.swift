package import HandoffCrypto
package import HandoffModel

/// The name and the public keys by which a device is known to others.
package struct DeviceIdentity: Hashable, Sendable {
    package let publicKeys: DevicePublicKeys
    package let name: DeviceName

    package init(publicKeys: DevicePublicKeys, name: DeviceName) {
        self.publicKeys = publicKeys
        self.name = name
    }

    /// The device's id.
    package var id: DeviceID { publicKeys.device }
}
