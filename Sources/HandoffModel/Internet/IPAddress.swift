/// An IPv4 or IPv6 address.
package enum IPAddress: Hashable, Sendable {
    /// Four bytes; the first one of the text is the highest.
    case v4(UInt32)
    /// The upper and the lower eight bytes.
    case v6(UInt64, UInt64)

    /// Makes the address with 4 or 16 bytes in network order; nil for any other number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        func number(_ part: some Collection<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self = .v4(UInt32(number(bytes)))
        case 16: self = .v6(number(bytes.prefix(8)), number(bytes.dropFirst(8)))
        default: return nil
        }
    }

    /// The bytes in network order: 4 or 16.
    package var bytes: [UInt8] {
        func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return switch self {
        case .v4(let number): bytes(UInt64(number), 4)
        case .v6(let high, let low): bytes(high, 8) + bytes(low, 8)
        }
    }

    /// Whether it can be the address of one interface that other computers reach: unicast, and neither unspecified, of
    /// the loopback interface, reserved, nor an IPv4 address written as an IPv6 one (RFC 6890).
    package var isUnicast: Bool {
        switch self {
        case .v4(let number): ![0, 127].contains(number >> 24) && number >> 28 < 0xE
        case .v6(let high, _): high != 0 && high >> 56 != 0xFF
        }
    }

    /// Whether it has a meaning on one link only, so that an interface has to be named with it: fe80::/10 (RFC 4291).
    package var needsInterface: Bool {
        if case .v6(let high, _) = self { high >> 54 == 0x3FA } else { false }
    }

    /// Whether it belongs to a local network by itself: the private and link-local ranges (RFC 1918, RFC 3927, RFC 4193,
    /// RFC 4291), and those behind a provider's or a virtual network's translation (RFC 6598).
    package var isPrivate: Bool {
        switch self {
        case .v4(let number):
            number >> 24 == 10 || number >> 20 == 0xAC1 || number >> 16 == 0xC0A8 || number >> 16 == 0xA9FE
                || number >> 22 == 0x191
        case .v6(let high, _): high >> 57 == 0x7E || needsInterface
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual notation; of IPv6 without the abbreviation of zeros.
    package var description: String {
        switch self {
        case .v4: bytes.map(String.init).joined(separator: ".")
        case .v6(let high, let low):
            [high, low].flatMap { half in [48, 32, 16, 0].map { String(half >> $0 & 0xFFFF, radix: 16) } }
                .joined(separator: ":")
        }
    }
}
