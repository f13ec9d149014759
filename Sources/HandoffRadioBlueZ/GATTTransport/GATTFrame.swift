/// What is written into a mailbox, and what is read from it in answer.
///
/// Eight bytes and data: the channel (four bytes, highest first), the number of the exchange, flags, and how many bytes
/// the sender can take (two bytes, highest first).
struct GATTFrame: Hashable, Sendable {
    /// An attribute has at most 512 bytes (Bluetooth Core, Vol 3, Part F, 3.2.9), and bluetoothd 5.66 refuses to take that
    /// many in one write: it was seen to answer 0x0D, so a letter has 508 at most.
    static let maximumDataLength = 500

    private static let headerLength = 8

    /// What a letter says beside its data.
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// A letter opens the channel, and its data is the port; an answer says that there is no such channel.
        static let opening = Flags(rawValue: 1)
        /// The sender has closed the channel, and sent everything.
        static let end = Flags(rawValue: 2)
        /// There is more: ask again.
        static let more = Flags(rawValue: 4)

        fileprivate static let all: Flags = [.opening, .end, .more]
    }

    /// Chosen by the caller, at random: two callers on one computer cannot be told apart otherwise.
    let channel: UInt32

    /// Counts the letters of a channel, from 0 and around; the answer has the number of its letter.
    let number: UInt8

    let flags: Flags

    /// How many bytes of data the sender can take.
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

    /// Reads a value of the mailbox; nil for what is none, flags that mean nothing included.
    init?(_ bytes: [UInt8]) {
        guard (Self.headerLength...Self.headerLength + Self.maximumDataLength).contains(bytes.count) else { return nil }
        flags = Flags(rawValue: bytes[5])
        guard Flags.all.isSuperset(of: flags) else { return nil }
        channel = bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }
        number = bytes[4]
        window = UInt16(bytes[6]) << 8 | UInt16(bytes[7])
        data = Array(bytes[Self.headerLength...])
    }

    /// The value of the mailbox.
    var bytes: [UInt8] {
        let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: channel >> $0) }
        return head + [number, flags.rawValue, UInt8(window >> 8), UInt8(window & 0xFF)] + data
    }
}
