/// A single complete D-Bus type (specification, "Type System").
package indirect enum ValueType: Hashable, Sendable, CustomStringConvertible {
    case byte, boolean, int16, uint16, int32, uint32, int64, uint64, double
    case string, objectPath, signature, unixFD, variant
    case array(ValueType)
    /// An array of dictionary entries. `key` is a basic type.
    case dictionary(key: ValueType, value: ValueType)
    /// At least one field.
    case structure([ValueType])

    /// The type in the notation of the specification, such as `a{sv}`.
    package var description: String {
        switch self {
        case .array(let element): "a\(element)"
        case .dictionary(let key, let value): "a{\(key)\(value)}"
        case .structure(let fields): "(\(fields.map(\.description).joined()))"
        default: String(Character(Unicode.Scalar(code)))
        }
    }

    /// The type code; for nested containers, that of the outermost one.
    var code: UInt8 {
        switch self {
        case .byte: UInt8(ascii: "y")
        case .boolean: UInt8(ascii: "b")
        case .int16: UInt8(ascii: "n")
        case .uint16: UInt8(ascii: "q")
        case .int32: UInt8(ascii: "i")
        case .uint32: UInt8(ascii: "u")
        case .int64: UInt8(ascii: "x")
        case .uint64: UInt8(ascii: "t")
        case .double: UInt8(ascii: "d")
        case .string: UInt8(ascii: "s")
        case .objectPath: UInt8(ascii: "o")
        case .signature: UInt8(ascii: "g")
        case .unixFD: UInt8(ascii: "h")
        case .variant: UInt8(ascii: "v")
        case .array, .dictionary: UInt8(ascii: "a")
        case .structure: UInt8(ascii: "r")
        }
    }

    /// Whether values of this type may be the keys of a dictionary.
    package var isBasic: Bool {
        switch self {
        case .variant, .array, .dictionary, .structure: false
        default: true
        }
    }

    /// The alignment of a value of this type in bytes (specification, "Marshalling").
    var alignment: Int {
        switch self {
        case .byte, .signature, .variant: 1
        case .int16, .uint16: 2
        case .boolean, .int32, .uint32, .string, .objectPath, .unixFD, .array, .dictionary: 4
        case .int64, .uint64, .double, .structure: 8
        }
    }
}
