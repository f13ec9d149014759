/// A 128-bit UUID of a service or a characteristic.
package struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
    private static let groups = [8, 4, 4, 4, 12]

    // Two numbers, because async code that captures a stored UInt128, which is aligned to 16 bytes, crashed when it was
    // compiled with Swift 6.3 for debugging.
    private let high: UInt64
    private let low: UInt64

    /// The 128 bits; the first digit of the text form is the most significant.
    package var number: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// The UUID in lower case with hyphens: the format of bluetoothd.
    package var description: String {
        var digits = Hexadecimal.text(number, digits: 32)[...]
        return Self.groups.map { length in
            defer { digits = digits.dropFirst(length) }
            return String(digits.prefix(length))
        }
        .joined(separator: "-")
    }

    /// Makes the UUID of those 128 bits.
    package init(number: UInt128) {
        high = UInt64(truncatingIfNeeded: number >> 64)
        low = UInt64(truncatingIfNeeded: number)
    }

    /// Parses `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in either case; nil for anything else.
    package init?(_ text: String) {
        guard let number = Hexadecimal.number(text, groups: Self.groups, separator: "-") else { return nil }
        self.init(number: number)
    }
}
