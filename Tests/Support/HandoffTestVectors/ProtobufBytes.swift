/// Fields of Protocol Buffers, byte by byte: also such as no writer writes.
package enum ProtobufBytes {
    /// A number of seven bits in each byte, the lowest first.
    package static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }

    /// What stands before the content of a field: its number and its wire type.
    package static func key(_ number: UInt64, wireType: UInt64) -> [UInt8] { varint(number << 3 | wireType) }

    /// A field with a number.
    package static func number(_ number: UInt64, _ value: UInt64) -> [UInt8] {
        key(number, wireType: 0) + varint(value)
    }

    /// A field with bytes, text or a message.
    package static func field(_ number: UInt64, _ content: some Collection<UInt8>) -> [UInt8] {
        key(number, wireType: 2) + varint(UInt64(content.count)) + content
    }

    /// A group with these fields.
    package static func group(_ number: UInt64, _ fields: [UInt8] = []) -> [UInt8] {
        key(number, wireType: 3) + fields + key(number, wireType: 4)
    }
}
