/// Access to a value whose type is only known at run time; each property is nil if the value has another type.
extension Value {
    package var byte: UInt8? { if case .byte(let value) = self { value } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    package var int16: Int16? { if case .int16(let value) = self { value } else { nil } }
    package var uint16: UInt16? { if case .uint16(let value) = self { value } else { nil } }
    package var int32: Int32? { if case .int32(let value) = self { value } else { nil } }
    package var uint32: UInt32? { if case .uint32(let value) = self { value } else { nil } }
    package var int64: Int64? { if case .int64(let value) = self { value } else { nil } }
    package var uint64: UInt64? { if case .uint64(let value) = self { value } else { nil } }
    package var double: Double? { if case .double(let value) = self { value } else { nil } }
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var objectPath: ObjectPath? { if case .objectPath(let value) = self { value } else { nil } }
    package var signature: Signature? { if case .signature(let value) = self { value } else { nil } }
    package var unixFD: UnixFD? { if case .unixFD(let value) = self { value } else { nil } }
    package var structure: [Value]? { if case .structure(let fields) = self { fields } else { nil } }

    /// The bytes of an `ay`, in either representation.
    package var bytes: [UInt8]? { [UInt8](self) }

    /// The elements of any array that is not a dictionary.
    package var array: [Value]? {
        switch self {
        case .array(_, let elements): elements
        case .bytes(let bytes): bytes.map(Value.byte)
        default: nil
        }
    }

    /// The entries of any dictionary.
    package var dictionary: [DictionaryEntry]? {
        if case .dictionary(_, _, let entries) = self { entries } else { nil }
    }

    /// The value without the variants around it.
    package var unwrapped: Value {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }

    /// The entries of a dictionary with string keys, without the variants around its values.
    ///
    /// The last of equal keys is used.
    package var stringDictionary: [String: Value]? {
        guard case .dictionary(.string, _, let entries) = self else { return nil }
        let pairs = entries.compactMap { entry in entry.key.string.map { ($0, entry.value.unwrapped) } }
        return Dictionary(pairs) { _, last in last }
    }
}
