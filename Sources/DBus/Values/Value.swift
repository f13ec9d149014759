/// A value of any D-Bus type.
package enum Value: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    /// A string; one that contains a NUL cannot be sent.
    case string(String)
    case objectPath(ObjectPath)
    case signature(Signature)
    case unixFD(UnixFD)
    /// An array of bytes, `ay`, stored compactly. A received `ay` is always this case.
    case bytes([UInt8])
    /// An array; all elements must be of type `of`.
    case array(of: ValueType, [Value])
    /// A dictionary; entries in the order in which they are sent. Duplicate keys are not detected.
    case dictionary(key: ValueType, value: ValueType, [DictionaryEntry])
    /// A structure; one without fields cannot be sent.
    case structure([Value])
    indirect case variant(Value)

    /// A key and its value in a dictionary.
    package struct Entry: Hashable, Sendable {
        package let key: Value
        package let value: Value

        package init(key: Value, value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// The type of the value; for containers the declared type, whatever they contain.
    package var type: ValueType {
        switch self {
        case .byte: .byte
        case .boolean: .boolean
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .objectPath: .objectPath
        case .signature: .signature
        case .unixFD: .unixFD
        case .bytes: .array(.byte)
        case .array(let element, _): .array(element)
        case .dictionary(let key, let value, _): .dictionary(key: key, value: value)
        case .structure(let fields): .structure(fields.map(\.type))
        case .variant: .variant
        }
    }
}

/// A key and its value in a dictionary.
package typealias DictionaryEntry = Value.Entry
