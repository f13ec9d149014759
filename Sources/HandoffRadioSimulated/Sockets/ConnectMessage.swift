import Bluetooth

/// The first message of each end of a channel: the caller's request, and the answer whether it is accepted.
struct ConnectMessage: Hashable, Sendable {
    let station: StationID
    let name: String
    let address: BluetoothAddress
    /// The longest message that this end accepts.
    let maximumMessageLength: Int
    /// In a request, the port to open; in an answer, the port that was opened, or nil, encoded as 0.
    let port: LEPSM?

    /// The maximum encoded length, more than any such message has.
    static let maximumLength = 256

    var bytes: [UInt8] {
        var writer = PacketWriter()
        writer.append(station.text)
        writer.append(name)
        writer.append(address.bytes)
        writer.append(UInt64(maximumMessageLength))
        writer.append(UInt64(port?.number ?? 0))
        return writer.bytes
    }
}

extension ConnectMessage {
    /// Parses a packet; nil if it is not a connect message.
    init?(_ bytes: [UInt8]) {
        var reader = PacketReader(bytes)
        guard let station = reader.text().flatMap(StationID.init), let name = reader.name(),
            let address = reader.bytes().flatMap(BluetoothAddress.init(bytes:)),
            let length = reader.number(), (23...65_535).contains(length),
            let port = reader.number().flatMap(UInt16.init(exactly:))
        else { return nil }
        self.init(
            station: station,
            name: name,
            address: address,
            maximumMessageLength: Int(length),
            port: LEPSM(exactly: port)
        )
    }
}
