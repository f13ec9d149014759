/// A dynamic protocol/service multiplexer of LE credit-based channels that an advertisement can name: 0x80…0x9E, the port
/// of a listener, and 0xFF, which says that there is none.
///
/// Programs may allocate 0x80…0xFF (Bluetooth Core, Vol 3, Part A, 4.22, table 4.16). An advertisement has five bits for it
/// (decision 46); Linux gives out the lowest that is free.
package struct LEPSM: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// All 32, in ascending order.
    package static let allCases = (0...0x1F).map(LEPSM.init(lowFiveBits:))

    /// The port of a listener without LE credit-based channels: nobody listens there; callers use GATT.
    package static let gattOnly = LEPSM(lowFiveBits: 0x1F)

    /// 0x80…0x9E, or 0xFF.
    package let number: UInt8

    /// The low five bits of the number, by which it is advertised.
    package var lowFiveBits: UInt8 { number & 0x1F }

    package var description: String { "0x" + Hexadecimal.text(number, digits: 2) }

    /// Makes the multiplexer with these low bits; the higher bits of `lowFiveBits` are ignored.
    package init(lowFiveBits: UInt8) {
        let low = lowFiveBits & 0x1F
        number = low == 0x1F ? 0xFF : 0x80 | low
    }

    /// Makes the multiplexer with that number; nil for any but 0x80…0x9E and 0xFF.
    package init?(exactly number: some BinaryInteger) {
        guard let number = UInt8(exactly: number) else { return nil }
        self.init(lowFiveBits: number)
        guard self.number == number else { return nil }
    }
}
