package import Bluetooth

/// A version of the protocol between devices; Docs/Protocol.md describes it.
package struct ProtocolVersion: Hashable, Sendable {
    package let rawValue: Int

    /// The UUID of the service data in advertisements, by which devices learn each other's version.
    package let serviceUUID: BluetoothUUID

    /// The UUID of the service data by which pairing devices find each other.
    package let pairingServiceUUID: BluetoothUUID

    /// The version that this daemon supports.
    package static let current = ProtocolVersion(
        rawValue: 2,
        serviceUUID: BluetoothUUID(number: 0xa0f6373c_c0be_4098_84f0_85fe6ea66c55),
        pairingServiceUUID: BluetoothUUID(number: 0x78cbcd33_2750_4365_81f7_3b28a263c335)
    )
}
