import Bluetooth

/// The addresses from which a station advertises.
extension BluetoothAddress {
    /// Six bytes, most significant first.
    var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: number >> (40 - 8 * $0)) } }

    /// Twelve hexadecimal digits.
    var hexadecimal: String { Hexadecimal.text(number, digits: 12) }

    /// Returns a static random address: the two most significant bits are set (Bluetooth Core, Vol 6, Part B, 1.3.2.1).
    static func random(from randomness: Randomness) -> BluetoothAddress {
        let number = randomness.bytes(6).reduce(0) { $0 << 8 | UInt64($1) }
        return BluetoothAddress(number: number | 0xC000_0000_0000, kind: .random)
    }

    /// Makes a random address of six bytes, most significant first; nil for any other count.
    init?(bytes: [UInt8]) {
        guard bytes.count == 6 else { return nil }
        self.init(number: bytes.reduce(0) { $0 << 8 | UInt64($1) }, kind: .random)
    }

    /// Parses twelve hexadecimal digits as a random address; nil for anything else.
    init?(hexadecimal: String) {
        guard let number = Hexadecimal.number(hexadecimal, digits: 12) else { return nil }
        self.init(number: UInt64(truncatingIfNeeded: number), kind: .random)
    }
}
