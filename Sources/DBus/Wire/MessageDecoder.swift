import CDBus

/// Decodes the arguments of a received message.
///
/// libdbus has checked that the message is well-formed; this bounds the cost of decoding it.
struct MessageDecoder {
    /// The maximum number of values in one message, including those in containers; the bytes of an `ay` count as one.
    ///
    /// Far more than any known interface sends, far fewer than in 128 MiB of booleans.
    static let maximumValues = 1 << 20

    private var budget = maximumValues

    /// Returns the arguments of `message`.
    ///
    /// - Throws: `DBusError.Code.limit` if there are too many, they nest too deeply, or no descriptor is left;
    ///   `.unexpectedReply` if one has an unknown type.
    static func arguments(of message: borrowing Message) throws(DBusError) -> [Value] {
        let signature = try Self.signature(message.signature)
        guard !signature.types.isEmpty else { return [] }
        var decoder = MessageDecoder()
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message.raw, &iterator) != 0 else { return [] }
        var values: [Value] = []
        for type in signature.types {
            values.append(try decoder.value(&iterator, type, depth: 0))
            dbus_message_iter_next(&iterator)
        }
        return values
    }

    private static func signature(_ text: String) throws(DBusError) -> Signature {
        do {
            return try Signature(text)
        } catch {
            throw DBusError(.unexpectedReply, "a message has unknown types: \(error.message)")
        }
    }

    private mutating func value(
        _ iterator: inout DBusMessageIter,
        _ type: ValueType,
        depth: Int
    ) throws(DBusError) -> Value {
        budget -= 1
        guard budget >= 0 else {
            throw DBusError(.limit, "a message holds more than \(Self.maximumValues) values")
        }
        guard dbus_message_iter_get_arg_type(&iterator) == Int32(type.code) else {
            throw DBusError(.unexpectedReply, "the contents of a message do not match its signature")
        }
        return switch type {
        case .variant, .array, .dictionary, .structure: try container(&iterator, type, depth: depth + 1)
        default: try basic(&iterator, type)
        }
    }

    private func basic(_ iterator: inout DBusMessageIter, _ type: ValueType) throws(DBusError) -> Value {
        var basic = DBusBasicValue()
        dbus_message_iter_get_basic(&iterator, &basic)
        return switch type {
        case .byte: .byte(basic.byt)
        case .boolean: .boolean(basic.bool_val != 0)
        case .int16: .int16(basic.i16)
        case .uint16: .uint16(basic.u16)
        case .int32: .int32(basic.i32)
        case .uint32: .uint32(basic.u32)
        case .int64: .int64(Int64(basic.i64))
        case .uint64: .uint64(UInt64(basic.u64))
        case .double: .double(basic.dbl)
        case .objectPath: .objectPath(ObjectPath(trusted: String(cString: basic.str)))
        case .signature: .signature(try Self.signature(String(cString: basic.str)))
        case .unixFD: .unixFD(try Self.descriptor(basic.fd))
        default: .string(String(cString: basic.str))
        }
    }

    private static func descriptor(_ number: Int32) throws(DBusError) -> UnixFD {
        guard number >= 0 else {
            throw DBusError(.limit, "a file descriptor cannot be received: raise the limit on open files")
        }
        return UnixFD(taking: number)
    }

    private mutating func container(
        _ iterator: inout DBusMessageIter,
        _ type: ValueType,
        depth: Int
    ) throws(DBusError) -> Value {
        guard depth <= BodyLimits.maximumDepth else {
            throw DBusError(.limit, "containers nest deeper than \(BodyLimits.maximumDepth)")
        }
        var child = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &child)
        switch type {
        case .array(.byte): return .bytes(Self.bytes(&child))
        case .array(let element): return .array(of: element, try elements(&child, element, depth: depth))
        case .dictionary(let key, let value):
            return .dictionary(key: key, value: value, try entries(&child, key, value, depth: depth + 1))
        case .structure(let fields): return .structure(try self.fields(&child, fields, depth: depth))
        default: return .variant(try value(&child, Self.contents(of: &child), depth: depth))
        }
    }

    private static func bytes(_ iterator: inout DBusMessageIter) -> [UInt8] {
        var count: Int32 = 0
        let start = cdbus_bytes(&iterator, &count)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
    }

    private mutating func elements(
        _ iterator: inout DBusMessageIter,
        _ type: ValueType,
        depth: Int
    ) throws(DBusError) -> [Value] {
        var values: [Value] = []
        while dbus_message_iter_get_arg_type(&iterator) != 0 {
            values.append(try value(&iterator, type, depth: depth))
            dbus_message_iter_next(&iterator)
        }
        return values
    }

    private mutating func entries(
        _ iterator: inout DBusMessageIter,
        _ key: ValueType,
        _ type: ValueType,
        depth: Int
    ) throws(DBusError) -> [DictionaryEntry] {
        var entries: [DictionaryEntry] = []
        while dbus_message_iter_get_arg_type(&iterator) != 0 {
            var pair = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &pair)
            let fields = try fields(&pair, [key, type], depth: depth)
            entries.append(DictionaryEntry(key: fields[0], value: fields[1]))
            dbus_message_iter_next(&iterator)
        }
        return entries
    }

    private mutating func fields(
        _ iterator: inout DBusMessageIter,
        _ types: [ValueType],
        depth: Int
    ) throws(DBusError) -> [Value] {
        var values: [Value] = []
        for type in types {
            values.append(try value(&iterator, type, depth: depth))
            dbus_message_iter_next(&iterator)
        }
        return values
    }

    /// Returns the type of the value at `iterator`, inside a variant.
    private static func contents(of iterator: inout DBusMessageIter) throws(DBusError) -> ValueType {
        guard let text = dbus_message_iter_get_signature(&iterator) else { throw .outOfMemory }
        defer { dbus_free(text) }
        guard let type = try signature(String(cString: text)).types.first else {
            throw DBusError(.unexpectedReply, "a variant is empty")
        }
        return type
    }
}
