// Conformances of the types that correspond to exactly one D-Bus type.

extension UInt8: BasicValueConvertible {
    package static var valueType: ValueType { .byte }
    package var value: Value { .byte(self) }

    package init?(_ value: Value) {
        guard case .byte(let inner) = value else { return nil }
        self = inner
    }
}

extension Bool: ValueConvertible {
    package static var valueType: ValueType { .boolean }
    package var value: Value { .boolean(self) }

    package init?(_ value: Value) {
        guard case .boolean(let inner) = value else { return nil }
        self = inner
    }
}

extension Int16: BasicValueConvertible {
    package static var valueType: ValueType { .int16 }
    package var value: Value { .int16(self) }

    package init?(_ value: Value) {
        guard case .int16(let inner) = value else { return nil }
        self = inner
    }
}

extension UInt16: BasicValueConvertible {
    package static var valueType: ValueType { .uint16 }
    package var value: Value { .uint16(self) }

    package init?(_ value: Value) {
        guard case .uint16(let inner) = value else { return nil }
        self = inner
    }
}

extension Int32: BasicValueConvertible {
    package static var valueType: ValueType { .int32 }
    package var value: Value { .int32(self) }

    package init?(_ value: Value) {
        guard case .int32(let inner) = value else { return nil }
        self = inner
    }
}

extension UInt32: BasicValueConvertible {
    package static var valueType: ValueType { .uint32 }
    package var value: Value { .uint32(self) }

    package init?(_ value: Value) {
        guard case .uint32(let inner) = value else { return nil }
        self = inner
    }
}

extension Int64: BasicValueConvertible {
    package static var valueType: ValueType { .int64 }
    package var value: Value { .int64(self) }

    package init?(_ value: Value) {
        guard case .int64(let inner) = value else { return nil }
        self = inner
    }
}

extension UInt64: BasicValueConvertible {
    package static var valueType: ValueType { .uint64 }
    package var value: Value { .uint64(self) }

    package init?(_ value: Value) {
        guard case .uint64(let inner) = value else { return nil }
        self = inner
    }
}

extension Double: BasicValueConvertible {
    package static var valueType: ValueType { .double }
    package var value: Value { .double(self) }

    package init?(_ value: Value) {
        guard case .double(let inner) = value else { return nil }
        self = inner
    }
}

extension String: BasicValueConvertible {
    package static var valueType: ValueType { .string }
    package var value: Value { .string(self) }

    package init?(_ value: Value) {
        guard case .string(let inner) = value else { return nil }
        self = inner
    }
}

extension ObjectPath: BasicValueConvertible {
    package static var valueType: ValueType { .objectPath }
    package var value: Value { .objectPath(self) }

    package init?(_ value: Value) {
        guard case .objectPath(let inner) = value else { return nil }
        self = inner
    }
}

extension Signature: ValueConvertible {
    package static var valueType: ValueType { .signature }
    package var value: Value { .signature(self) }

    package init?(_ value: Value) {
        guard case .signature(let inner) = value else { return nil }
        self = inner
    }
}

/// Converting from a value duplicates the descriptor; the result is nil if the process has no descriptor left.
extension UnixFD: ValueConvertible {
    package static var valueType: ValueType { .unixFD }
    package var value: Value { .unixFD(self) }

    package convenience init?(_ value: Value) {
        guard case .unixFD(let other) = value, let copy = try? other.duplicate() else { return nil }
        self.init(taking: copy)
    }
}
