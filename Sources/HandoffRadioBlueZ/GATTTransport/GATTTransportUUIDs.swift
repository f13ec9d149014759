import Bluetooth

/// The UUIDs of the GATT service for channels on hosts without LE credit-based channels.
///
/// Random UUIDs of this project; Docs/Protocol.md, "Channels over GATT".
enum GATTTransportUUIDs {
    static let service = BluetoothUUID(number: 0x0fbb09c3_c5a8_4d40_8d7d_f7f0a9a4cb4e)

    /// Read: the version of the GATT service and the port of the listener, one byte each.
    static let information = BluetoothUUID(number: 0x0fbb09c4_c5a8_4d40_8d7d_f7f0a9a4cb4e)

    /// Written and read: frames and their answers.
    static let frameCharacteristic = BluetoothUUID(number: 0x0fbb09c5_c5a8_4d40_8d7d_f7f0a9a4cb4e)

    /// Notifies that the next answer would have something new.
    static let notifyCharacteristic = BluetoothUUID(number: 0x0fbb09c6_c5a8_4d40_8d7d_f7f0a9a4cb4e)

    /// The version of the GATT service, the first byte of ``information``.
    static let version: UInt8 = 1
}
