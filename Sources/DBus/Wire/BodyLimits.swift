/// Checks arguments before they are passed to libdbus, and refuses those that would end the process or the connection.
struct BodyLimits {
    /// The maximum size of an array in bytes (D-Bus specification, "Marshalling").
    static let maximumArray = 1 << 26
    /// The maximum size of a message in bytes, including header and padding (D-Bus specification, "Message Format").
    static let maximumMessage = 1 << 27
    /// The space reserved for a header in bytes: four names, a signature and the fixed fields; the path is counted
    /// separately.
    static let headerReserve = 4096
    /// The maximum nesting depth of containers, including variants (D-Bus specification, "Valid Signatures").
    static let maximumDepth = 64
    /// The maximum number of descriptors in one message; the default of libdbus (dbus/dbus-sysdeps.h,
    /// DBUS_DEFAULT_MESSAGE_UNIX_FDS).
    static let maximumDescriptors = 16

    /// The size of the arguments so far in bytes, including padding.
    private(set) var size = 0
    /// The number of file descriptors among the arguments so far.
    private(set) var descriptors = 0

    /// Checks `arguments` and returns their signature.
    ///
    /// - Throws: `DBusError.Code.invalidValue`, with the violated rule; `.limit` if they are too large.
    mutating func check(_ arguments: [Value]) throws(DBusError) -> Signature {
        let signature: Signature
        do {
            signature = try Signature(arguments.map(\.type))
        } catch {
            throw DBusError(.invalidValue, "the arguments have no valid signature: \(error.message)")
        }
        for argument in arguments { try check(argument, depth: 0) }
        return signature
    }

    private mutating func check(_ value: Value, depth: Int) throws(DBusError) {
        switch value {
        case .byte: try add(1, alignment: 1)
        case .int16, .uint16: try add(2, alignment: 2)
        case .boolean, .int32, .uint32: try add(4, alignment: 4)
        case .int64, .uint64, .double: try add(8, alignment: 8)
        case .unixFD: try addDescriptor()
        case .string(let text): try add(text)
        case .objectPath(let path): try add(5 + path.description.utf8.count, alignment: 4)
        case .signature(let signature): try add(2 + signature.description.utf8.count, alignment: 1)
        default: try checkContainer(value, depth: depth + 1)
        }
    }

    private mutating func checkContainer(_ value: Value, depth: Int) throws(DBusError) {
        guard depth <= Self.maximumDepth else {
            throw DBusError(.invalidValue, "containers nest deeper than \(Self.maximumDepth)")
        }
        switch value {
        case .bytes(let bytes):
            try addArray(of: .byte) { (limits) throws(DBusError) in
                try limits.add(bytes.count, alignment: 1)
            }
        case .array(let element, let values): try check(values, of: element, depth: depth)
        case .dictionary(let key, let type, let entries): try check(entries, key, type, depth: depth)
        case .structure(let fields):
            try add(0, alignment: 8)
            for field in fields { try check(field, depth: depth) }
        case .variant(let inner): try checkVariant(inner, depth: depth)
        default: break
        }
    }

    private mutating func check(_ values: [Value], of element: ValueType, depth: Int) throws(DBusError) {
        try addArray(of: element) { (limits) throws(DBusError) in
            for value in values {
                try Self.expect(element, value, "an element of an array")
                try limits.check(value, depth: depth)
            }
        }
    }

    private mutating func check(
        _ entries: [DictionaryEntry],
        _ key: ValueType,
        _ type: ValueType,
        depth: Int
    ) throws(DBusError) {
        // libdbus counts an entry as a container, too.
        try addArray(of: .structure([key, type])) { (limits) throws(DBusError) in
            for entry in entries {
                try Self.expect(key, entry.key, "a key of a dictionary")
                try Self.expect(type, entry.value, "a value of a dictionary")
                try limits.add(0, alignment: 8)
                try limits.check(entry.key, depth: depth + 1)
                try limits.check(entry.value, depth: depth + 1)
            }
        }
    }

    private mutating func checkVariant(_ inner: Value, depth: Int) throws(DBusError) {
        let signature: Signature
        do {
            signature = try Signature([inner.type])
        } catch {
            throw DBusError(.invalidValue, "a variant holds a value without a valid signature: \(error.message)")
        }
        try add(2 + signature.description.utf8.count, alignment: 1)
        try check(inner, depth: depth)
    }

    private static func expect(_ type: ValueType, _ value: Value, _ role: String) throws(DBusError) {
        guard value.type == type else {
            throw DBusError(.invalidValue, "\(role) has the type '\(value.type)', but '\(type)' was declared")
        }
    }

    private mutating func add(_ text: String) throws(DBusError) {
        guard !text.utf8.contains(0) else {
            throw DBusError(.invalidValue, "a string contains a NUL, which D-Bus does not allow")
        }
        try add(5 + text.utf8.count, alignment: 4)
    }

    private mutating func addDescriptor() throws(DBusError) {
        descriptors += 1
        guard descriptors <= Self.maximumDescriptors else {
            throw DBusError(.limit, "a message carries at most \(Self.maximumDescriptors) file descriptors")
        }
        try add(4, alignment: 4)
    }

    private mutating func addArray(
        of element: ValueType,
        _ content: (inout BodyLimits) throws(DBusError) -> Void
    ) throws(DBusError) {
        try add(4, alignment: 4)
        try add(0, alignment: element.alignment)
        let start = size
        try content(&self)
        guard size - start <= Self.maximumArray else {
            throw DBusError(.limit, "an array is larger than \(Self.maximumArray >> 20) MiB")
        }
    }

    private mutating func add(_ count: Int, alignment: Int) throws(DBusError) {
        size = (size + alignment - 1) / alignment * alignment + count
        guard size <= Self.maximumMessage - Self.headerReserve else {
            throw DBusError(.limit, "a message is larger than \(Self.maximumMessage >> 20) MiB")
        }
    }
}
