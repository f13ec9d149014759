/// What the two ends of a channel tell each other first: the caller its wish, the other whether it is granted.
struct ConnectMessage: Hashable, Sendable {
    let station: StationID
    let name: String
    let address: LinkAddress
    /// The longest message that this end takes.
    let maximumMessageLength: Int
    /// The port that is asked for; in an answer, the port that was opened, or 0.
    let port: UInt16

    /// More than any greeting has.
    static let maximumLength = 256

    var bytes: [UInt8] {
        var writer = PacketWriter()
        writer.append(station.text)
        writer.append(name)
        writer.append(address.bytes)
        writer.append(UInt64(maximumMessageLength))
        writer.append(UInt64(port))
        return writer.bytes
    }
}

extension ConnectMessage {
    /// Reads a packet; nil when it is not a greeting.
    init?(_ bytes: [UInt8]) {
        var reader = PacketReader(bytes)
        guard let station = reader.text().flatMap(StationID.init), let name = reader.text(),
            let address = reader.bytes(), address.count == 6,
            let length = reader.number(), (23...65_535).contains(length),
            let port = reader.number().flatMap(UInt16.init(exactly:))
        else { return nil }
        self.init(
            station: station,
            name: name,
            address: LinkAddress(bytes: address),
            maximumMessageLength: Int(length),
            port: port
        )
    }
}
