package import HandoffCrypto
package import HandoffModel

/// The identity with which a device has introduced itself during pairing.
package struct PeerIdentity: Hashable, Sendable {
    package let name: DeviceName
    package let publicKey: DevicePublicKey

    package init(name: DeviceName, publicKey: DevicePublicKey) {
        self.name = name
        self.publicKey = publicKey
    }

    /// The device's id.
    package var id: DeviceID { publicKey.device }
}

/// The identity that a device sends during pairing; the advertising key follows only after the user has compared the
/// digits.
package struct LocalIdentity: Hashable, Sendable {
    package let name: DeviceName
    package let publicKey: DevicePublicKey
    package let advertisingKey: AdvertisingKey

    package init(name: DeviceName, publicKey: DevicePublicKey, advertisingKey: AdvertisingKey) {
        self.name = name
        self.publicKey = publicKey
        self.advertisingKey = advertisingKey
    }
}

/// The id of one exchange between two devices: the first 8 bytes of the hash of its handshake.
package struct PairingID: Hashable, Sendable {
    /// The length in bytes.
    package static let byteCount = 8

    package let bytes: [UInt8]

    /// Creates an id from its bytes; nil unless there are eight.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    init(handshakeHash: [UInt8]) {
        bytes = Array(handshakeHash.prefix(Self.byteCount))
    }
}
