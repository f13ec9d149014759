import HandoffRadio

/// The UUIDs of the GATT service for channels on hosts without LE credit-based channels.
///
/// Random UUIDs of this project; Docs/Protocol.md, "Channels over GATT".
enum GATTTransportUUIDs {
    static let service = "0fbb09c3-c5a8-4d40-8d7d-f7f0a9a4cb4e"

    /// Read: the version of the GATT service and the port of the listener, one byte each.
    static let information = "0fbb09c4-c5a8-4d40-8d7d-f7f0a9a4cb4e"

    /// Written and read: frames and their answers.
    static let frameCharacteristic = "0fbb09c5-c5a8-4d40-8d7d-f7f0a9a4cb4e"

    /// Notifies that the next answer would have something new.
    static let notifyCharacteristic = "0fbb09c6-c5a8-4d40-8d7d-f7f0a9a4cb4e"

    /// The version of the GATT service, the first byte of ``information``.
    static let version: UInt8 = 1
}

extension ChannelPort {
    /// The port of a listener without LE credit-based channels: not a PSM; callers use GATT.
    static let gattOnly = {
        guard let port = ChannelPort(rawValue: 0xFF) else { preconditionFailure("0xFF is a port") }
        return port
    }()
}
