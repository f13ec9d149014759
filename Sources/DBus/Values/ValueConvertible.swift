/// A Swift type that corresponds to one D-Bus type.
package protocol ValueConvertible: Sendable {
    /// The D-Bus type of every value of this type.
    static var valueType: ValueType { get }

    /// The value as a D-Bus value.
    var value: Value { get }

    /// Converts a D-Bus value; nil if `value` has another type.
    init?(_ value: Value)
}

/// A Swift type that can be the key of a dictionary.
///
/// Keys are ordered, so that equal dictionaries become equal values.
package protocol BasicValueConvertible: ValueConvertible, Hashable, Comparable {}

/// A value of any type, in a variant: `[String: Value]` is `a{sv}`.
extension Value: ValueConvertible {
    package static var valueType: ValueType { .variant }
    package var value: Value { .variant(self) }

    package init?(_ value: Value) {
        guard case .variant(let inner) = value else { return nil }
        self = inner
    }
}

/// `[UInt8]` is `.bytes`; any other array is `.array`.
extension Array: ValueConvertible where Element: ValueConvertible {
    package static var valueType: ValueType { .array(Element.valueType) }

    package var value: Value {
        // Checked first, because any empty array can be cast to an empty array of bytes.
        if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .bytes(bytes) }
        return .array(of: Element.valueType, map(\.value))
    }

    package init?(_ value: Value) {
        if Element.self == UInt8.self, case .bytes(let bytes) = value, let elements = bytes as? [Element] {
            self = elements
            return
        }
        guard case .array(Element.valueType, let values) = value else { return nil }
        let elements = values.compactMap { Element($0) }
        guard elements.count == values.count else { return nil }
        self = elements
    }
}

/// Entries are sent in the order of their keys.
extension Dictionary: ValueConvertible where Key: BasicValueConvertible, Value: ValueConvertible {
    package static var valueType: ValueType { .dictionary(key: Key.valueType, value: Value.valueType) }

    package var value: DBus.Value {
        let entries = sorted { $0.key < $1.key }.map { DictionaryEntry(key: $0.key.value, value: $0.value.value) }
        return .dictionary(key: Key.valueType, value: Value.valueType, entries)
    }

    package init?(_ value: DBus.Value) {
        guard case .dictionary(Key.valueType, Value.valueType, let entries) = value else { return nil }
        self.init(minimumCapacity: entries.count)
        for entry in entries {
            guard let key = Key(entry.key), let value = Value(entry.value) else { return nil }
            self[key] = value
        }
    }
}
