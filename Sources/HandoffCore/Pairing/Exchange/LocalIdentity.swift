package import HandoffCrypto
package import HandoffModel

/// The identity that this device sends during pairing, and the keys with which it proves it; the advertising key follows
/// only after the user has compared the digits.
package struct LocalIdentity: Sendable {
    package let device: DeviceIdentity
    package let advertisingKey: AdvertisingKeyRecord
    private let keys: DeviceKeys

    /// Makes the identity of the device with these keys; it advertises under `advertisingKey`, which may be a later one.
    package init(_ keys: DeviceKeys, name: DeviceName, advertisingKey: AdvertisingKeyRecord) {
        device = DeviceIdentity(publicKeys: keys.publicKeys, name: name)
        self.advertisingKey = advertisingKey
        self.keys = keys
    }

    /// Returns the proof that the identity is this device's own, for one channel.
    ///
    /// - Throws: `CryptoError` when the other side's ephemeral key is of low order.
    func proof(over binding: PairingBinding) throws(CryptoError) -> PairingProof {
        try binding.prove(keys)
    }
}
