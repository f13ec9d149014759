import HandoffRadio

/// A random device address of a station; a new one each time it starts to advertise.
struct LinkAddress: Hashable, Sendable {
    /// Six bytes, most significant first.
    let bytes: [UInt8]

    /// Twelve hexadecimal digits.
    var hexadecimal: String { bytes.map(Self.digits).joined() }

    /// The address in the notation of `RadioAddress`: `C2:1A:00:00:00:01/random`.
    var radioAddress: RadioAddress {
        RadioAddress(bytes.map { Self.digits($0).uppercased() }.joined(separator: ":") + "/random")
    }

    /// Returns a static random address: the two most significant bits are set (Bluetooth Core, Vol 6, Part B, 1.3.2.1).
    static func random(from randomness: Randomness) -> LinkAddress {
        var bytes = randomness.bytes(6)
        bytes[0] |= 0b1100_0000
        return LinkAddress(bytes: bytes)
    }

    /// Parses twelve hexadecimal digits; nil for anything else.
    init?(hexadecimal: String) {
        guard hexadecimal.utf8.count == 12, let number = UInt64(hexadecimal, radix: 16) else { return nil }
        bytes = (0..<6).map { UInt8(truncatingIfNeeded: number >> (8 * (5 - UInt64($0)))) }
    }

    /// Makes an address of six bytes, most significant first.
    init(bytes: [UInt8]) {
        precondition(bytes.count == 6, "An address has six bytes.")
        self.bytes = bytes
    }

    private static func digits(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
    }
}
