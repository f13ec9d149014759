import HandoffRadio

/// An advertisement on its way from one station to one ear.
struct Report: Hashable, Sendable {
    let sender: StationID
    let senderName: String
    let address: LinkAddress
    let rssi: Int8
    /// When it arrives, on the clock that the machine's processes share.
    let due: Instant
    let service: ServiceUUID
    let data: [UInt8]

    /// More than any report has.
    static let maximumLength = 256

    var bytes: [UInt8] {
        var writer = PacketWriter()
        writer.append(sender.text)
        writer.append(senderName)
        writer.append(address.bytes)
        writer.append([UInt8(bitPattern: rssi)])
        writer.append(due.nanoseconds)
        writer.append(service.description)
        writer.append(data)
        return writer.bytes
    }
}

extension Report {
    /// Reads a datagram; nil when it is not a report.
    init?(_ bytes: [UInt8]) {
        var reader = PacketReader(bytes)
        guard let sender = reader.text().flatMap(StationID.init), let senderName = reader.text(),
            let address = reader.bytes(), address.count == 6,
            let rssi = reader.bytes(), rssi.count == 1,
            let due = reader.number(),
            let service = reader.text().flatMap(ServiceUUID.init), let data = reader.bytes()
        else { return nil }
        self.init(
            sender: sender,
            senderName: senderName,
            address: LinkAddress(bytes: address),
            rssi: Int8(bitPattern: rssi[0]),
            due: Instant(nanoseconds: due),
            service: service,
            data: data
        )
    }
}

/// What the two ends of a channel tell each other first: the caller its wish, the other whether it is granted.
struct Greeting: Hashable, Sendable {
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

extension Greeting {
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

/// Fields one after the other, each with its length before it.
struct PacketWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends at most 255 bytes.
    mutating func append(_ field: [UInt8]) {
        bytes.append(UInt8(field.count))
        bytes += field
    }

    mutating func append(_ field: String) {
        append(Array(field.utf8))
    }

    mutating func append(_ field: UInt64) {
        append((0..<8).map { UInt8(truncatingIfNeeded: field >> (8 * UInt64($0))) })
    }
}

/// Reads what a ``PacketWriter`` wrote; nil where it did not.
struct PacketReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    mutating func bytes() -> [UInt8]? {
        guard let length = rest.popFirst(), rest.count >= Int(length) else { return nil }
        defer { rest.removeFirst(Int(length)) }
        return Array(rest.prefix(Int(length)))
    }

    mutating func text() -> String? {
        bytes().flatMap { String(validating: $0, as: UTF8.self) }
    }

    mutating func number() -> UInt64? {
        guard let field = bytes(), field.count == 8 else { return nil }
        return field.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
