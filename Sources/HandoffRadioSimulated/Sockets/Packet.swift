/// A message in transit, with its time of arrival.
struct Packet {
    /// The length of the longest message and its header.
    static let maximumLength = 65_535 + headerLength
    private static let headerLength = 8

    let due: Instant
    let message: [UInt8]

    var bytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: due.nanoseconds >> (8 * UInt64($0))) } + message
    }

    init(due: Instant, message: [UInt8]) {
        self.due = due
        self.message = message
    }

    /// Parses a packet; nil if it contains no message.
    init?(_ packet: [UInt8]) {
        guard packet.count > Self.headerLength else { return nil }
        due = Instant(nanoseconds: packet.prefix(Self.headerLength).reversed().reduce(0) { $0 << 8 | UInt64($1) })
        message = Array(packet.dropFirst(Self.headerLength))
    }
}
