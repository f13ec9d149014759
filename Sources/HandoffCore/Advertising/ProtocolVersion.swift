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
        rawValue: 1,
        serviceUUID: BluetoothUUID(number: 0x6496566b_3dbc_40e5_a269_566274cc801d),
        pairingServiceUUID: BluetoothUUID(number: 0x4ca8c808_ad9b_44b6_bc9b_8bbf586d90ef)
    )
}
