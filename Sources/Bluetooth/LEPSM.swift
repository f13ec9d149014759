/// A dynamic protocol/service multiplexer of LE credit-based channels, 0x80…0xFF: the port of a listener.
///
/// The range is the one that programs may allocate (Bluetooth Core, Vol 3, Part A, 4.22, table 4.16). Seven bits tell
/// its members apart.
package struct LEPSM: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// All 128, in ascending order.
    package static let allCases = (0...0x7F).map(LEPSM.init(lowSevenBits:))

    /// 0x80…0xFF.
    package let number: UInt8

    /// The number without the highest bit, which is always set.
    package var lowSevenBits: UInt8 { number & 0x7F }

    package var description: String { "0x" + Hexadecimal.text(number, digits: 2) }

    /// Makes the multiplexer with these low bits; the highest bit of `lowSevenBits` is ignored.
    package init(lowSevenBits: UInt8) {
        number = lowSevenBits | 0x80
    }

    /// Makes the multiplexer with that number; nil outside 0x80…0xFF.
    package init?(exactly number: some BinaryInteger) {
        guard let number = UInt8(exactly: number), number & 0x80 != 0 else { return nil }
        self.number = number
    }
}
