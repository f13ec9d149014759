/// A GATT frame: a value written to the frame characteristic, or the answer read from it.
///
/// It has eight bytes and data: the channel (four bytes, big-endian), the number of the exchange, flags, and the
/// window, which is the number of bytes that the sender can accept (two bytes, big-endian).
struct GATTFrame: Hashable, Sendable {
    /// The most bytes of data.
    ///
    /// An attribute has at most 512 bytes (Bluetooth Core, Vol 3, Part F, 3.2.9), and
    /// bluetoothd 5.66 does not accept that many in one write: it was seen to answer 0x0D, so a frame has at most 508.
    static let maximumDataLength = 500

    private static let headerLength = 8

    /// The flags of a frame.
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// In a caller's frame, it opens the channel at the port in the data; in an answer, there is no such channel,
        /// or together with ``end``, the listener is about to drop the link.
        static let opening = Flags(rawValue: 1)
        /// The sender has closed the channel and sent everything.
        static let end = Flags(rawValue: 2)
        /// The sender has more data: exchange another frame.
        static let more = Flags(rawValue: 4)

        fileprivate static let all: Flags = [.opening, .end, .more]
    }

    /// The channel, chosen by the caller at random: two callers on one computer cannot be distinguished otherwise.
    let channel: UInt32

    /// Counts the frames of a channel, from 0, and wraps around; the answer has the number of its frame.
    let number: UInt8

    let flags: Flags

    /// The number of bytes of data that the sender can accept.
    let window: UInt16

    /// At most ``maximumDataLength`` bytes.
    let data: [UInt8]

    init(channel: UInt32, number: UInt8, flags: Flags, window: UInt16 = 0, data: [UInt8] = []) {
        self.channel = channel
        self.number = number
        self.flags = flags
        self.window = window
        self.data = data
    }

    /// Parses a frame; nil for anything else, including unknown flags.
    init?(_ bytes: [UInt8]) {
        guard (Self.headerLength...Self.headerLength + Self.maximumDataLength).contains(bytes.count) else { return nil }
        flags = Flags(rawValue: bytes[5])
        guard Flags.all.isSuperset(of: flags) else { return nil }
        channel = bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }
        number = bytes[4]
        window = UInt16(bytes[6]) << 8 | UInt16(bytes[7])
        data = Array(bytes[Self.headerLength...])
    }

    /// What the answer to an opening means.
    enum Opening: Hashable, Sendable {
        case accepted
        /// No listener at that port, too many channels, or the listener has given the channel up.
        case refused
        /// The listener is about to drop the link.
        case dropped
    }

    /// What this frame means as the answer to one that has opened a channel.
    var opening: Opening {
        guard flags.contains(.opening) else { return .accepted }
        return flags.contains(.end) ? .dropped : .refused
    }

    /// Whether this is the answer to that frame, and not to one that another program of this computer has written.
    func isAnswer(to frame: GATTFrame) -> Bool {
        channel == frame.channel && number == frame.number
    }

    /// The encoded frame.
    var bytes: [UInt8] {
        let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: channel >> $0) }
        return head + [number, flags.rawValue, UInt8(window >> 8), UInt8(window & 0xFF)] + data
    }
}
