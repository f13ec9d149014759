/// The address at which a radio can reach a device; opaque to all but the radio that made it.
package struct RadioAddress: Hashable, Sendable, CustomStringConvertible {
    /// The radio's own notation, such as `00:AA:01:00:00:00/public`.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// The port of a listener, 0x80…0xFF, which seven bits can encode.
///
/// The range is the dynamic range of LE protocol/service multiplexers (Bluetooth Core, Vol 3, Part A, 4.22, table
/// 4.16).
package struct ChannelPort: Hashable, Sendable, CustomStringConvertible {
    /// The valid ports.
    package static let range: ClosedRange<UInt16> = 0x80...0xFF

    package let rawValue: UInt16

    package var description: String { "0x" + String(rawValue, radix: 16) }

    /// Makes the port with that number; nil outside ``range``.
    package init?(rawValue: UInt16) {
        guard Self.range.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}
