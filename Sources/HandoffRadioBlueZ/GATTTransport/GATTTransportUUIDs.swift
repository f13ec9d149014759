import HandoffRadio

/// How the GATT service is called that carries channels where there are no LE credit-based ones.
///
/// Random UUIDs of this project; Docs/Protocol.md, "Channels over GATT".
enum GATTTransportUUIDs {
    static let service = "0fbb09c3-c5a8-4d40-8d7d-f7f0a9a4cb4e"

    /// Read: the version of the mailbox and the port of the listener, a byte each.
    static let information = "0fbb09c4-c5a8-4d40-8d7d-f7f0a9a4cb4e"

    /// Written and read: letters and their answers.
    static let frameCharacteristic = "0fbb09c5-c5a8-4d40-8d7d-f7f0a9a4cb4e"

    /// Notifies that an answer would have something new.
    static let notifyCharacteristic = "0fbb09c6-c5a8-4d40-8d7d-f7f0a9a4cb4e"

    /// The version of the mailbox, the first byte of its information.
    static let version: UInt8 = 1
}

extension ChannelPort {
    /// The port of a listener without LE credit-based channels: no PSM, whoever dials takes GATT.
    static let gattOnly = {
        guard let port = ChannelPort(rawValue: 0xFF) else { preconditionFailure("0xFF is a port") }
        return port
    }()
}
