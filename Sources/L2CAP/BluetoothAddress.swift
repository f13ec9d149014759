/// The address of a Bluetooth LE device.
package struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// The two kinds of LE address; the same bytes of the other kind are another device.
    package enum Kind: String, Hashable, Sendable {
        /// Assigned to the hardware by its maker.
        case `public`
        /// Made by the device, static or changing (Bluetooth Core, Vol 6, Part B, 1.3.2).
        case random
    }

    /// The 48 bits; the byte that people write first is the most significant.
    package let number: UInt64

    package let kind: Kind

    /// Any adapter of this host; `BDADDR_ANY` in the kernel's words.
    package static let any = BluetoothAddress(number: 0, kind: .public)

    /// `00:AA:01:00:00:2F`, the form that bluetoothd uses.
    package var description: String {
        stride(from: 40, through: 0, by: -8).map { shift in
            let digits = String(UInt8(truncatingIfNeeded: number >> UInt64(shift)), radix: 16, uppercase: true)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }
        .joined(separator: ":")
    }

    /// The lowest 48 bits of `number`.
    package init(number: UInt64, kind: Kind) {
        self.number = number & 0xFFFF_FFFF_FFFF
        self.kind = kind
    }

    /// Reads six pairs of hexadecimal digits of either case with colons between; nil for anything else.
    package init?(_ text: String, kind: Kind) {
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.count == 6 else { return nil }
        var number: UInt64 = 0
        for pair in pairs {
            guard pair.utf8.count == 2, !pair.hasPrefix("+"), !pair.hasPrefix("-"), let byte = UInt8(pair, radix: 16)
            else { return nil }
            number = number << 8 | UInt64(byte)
        }
        self.init(number: number, kind: kind)
    }
}
