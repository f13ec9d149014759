package import HandoffCrypto
package import HandoffModel

/// A device as it has introduced itself while it pairs.
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

/// What a device tells of itself when it pairs, the last only after a person has compared the digits.
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

/// Names one exchange between two devices: the first 8 bytes of the hash of its handshake.
package struct PairingID: Hashable, Sendable {
    /// How many bytes it has.
    package static let byteCount = 8

    package let bytes: [UInt8]

    /// The id of those bytes; nil for any count but eight.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    init(handshakeHash: [UInt8]) {
        bytes = Array(handshakeHash.prefix(Self.byteCount))
    }
}
