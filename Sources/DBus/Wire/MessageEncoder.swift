import CDBus

/// Encodes messages for libdbus.
///
/// All input has been checked before, so only memory can run out.
enum MessageEncoder {
    /// Returns the message for libdbus.
    ///
    /// - Throws: `DBusError.outOfMemory`.
    static func encode(_ outgoing: OutgoingMessage) throws(DBusError) -> Message {
        guard let raw = dbus_message_new(outgoing.kind.code) else { throw .outOfMemory }
        let message = Message(taking: raw)
        guard setHeader(outgoing.kind, raw) else { throw .outOfMemory }
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(raw, &iterator)
        for argument in outgoing.arguments {
            guard append(argument, to: &iterator) else { throw .outOfMemory }
        }
        return message
    }

    private static func setHeader(_ kind: OutgoingMessage.Kind, _ raw: OpaquePointer) -> Bool {
        switch kind {
        case .call(let destination, let path, let interface, let member, let flags):
            dbus_message_set_no_reply(raw, flags.expectsReply ? 0 : 1)
            dbus_message_set_auto_start(raw, flags.startsService ? 1 : 0)
            return dbus_message_set_destination(raw, destination.description) != 0
                && setMember(path, interface, member, raw)
        case .signal(let path, let interface, let member, let destination):
            if let destination, dbus_message_set_destination(raw, destination.description) == 0 { return false }
            return setMember(path, interface, member, raw)
        case .reply(let address):
            return setReply(address, raw)
        case .failure(let name, let address):
            return setReply(address, raw) && dbus_message_set_error_name(raw, name.description) != 0
        }
    }

    private static func setMember(
        _ path: ObjectPath,
        _ interface: InterfaceName,
        _ member: MemberName,
        _ raw: OpaquePointer
    ) -> Bool {
        dbus_message_set_path(raw, path.description) != 0
            && dbus_message_set_interface(raw, interface.description) != 0
            && dbus_message_set_member(raw, member.description) != 0
    }

    private static func setReply(_ address: ReplyAddress, _ raw: OpaquePointer) -> Bool {
        dbus_message_set_no_reply(raw, 1)
        return dbus_message_set_destination(raw, address.sender.description) != 0
            && dbus_message_set_reply_serial(raw, address.serial) != 0
    }

    /// Appends a value; returns false if memory ran out, after which the message must not be used.
    private static func append(_ value: Value, to iterator: UnsafeMutablePointer<DBusMessageIter>) -> Bool {
        switch value {
        case .string(let text): appendText(text, value.type, to: iterator)
        case .objectPath(let path): appendText(path.description, value.type, to: iterator)
        case .signature(let signature): appendText(signature.description, value.type, to: iterator)
        case .unixFD(let file): appendDescriptor(file, to: iterator)
        case .bytes, .array, .dictionary, .structure, .variant: appendContainer(value, to: iterator)
        default: cdbus_append_fixed(iterator, Int32(value.type.code), fixed(value)) != 0
        }
    }

    private static func fixed(_ value: Value) -> DBusBasicValue {
        switch value {
        case .byte(let byte): DBusBasicValue(byt: byte)
        case .boolean(let flag): DBusBasicValue(bool_val: flag ? 1 : 0)
        case .int16(let number): DBusBasicValue(i16: number)
        case .uint16(let number): DBusBasicValue(u16: number)
        case .int32(let number): DBusBasicValue(i32: number)
        case .uint32(let number): DBusBasicValue(u32: number)
        case .int64(let number): DBusBasicValue(i64: .init(number))
        case .uint64(let number): DBusBasicValue(u64: .init(number))
        case .double(let number): DBusBasicValue(dbl: number)
        default: preconditionFailure("\(value.type) is not of fixed size")
        }
    }

    private static func appendText(
        _ text: String,
        _ type: ValueType,
        to iterator: UnsafeMutablePointer<DBusMessageIter>
    ) -> Bool {
        cdbus_append_text(iterator, Int32(type.code), text) != 0
    }

    /// libdbus duplicates the descriptor, and reports a lack of descriptors like a lack of memory.
    private static func appendDescriptor(
        _ file: UnixFD,
        to iterator: UnsafeMutablePointer<DBusMessageIter>
    ) -> Bool {
        file.withFileDescriptor { descriptor in
            cdbus_append_fixed(iterator, Int32(ValueType.unixFD.code), DBusBasicValue(fd: descriptor)) != 0
        }
    }

    private static func appendContainer(_ value: Value, to parent: UnsafeMutablePointer<DBusMessageIter>) -> Bool {
        switch value {
        case .bytes(let bytes):
            container(.array(.byte), "y", in: parent) { appendBytes(bytes, to: $0) }
        case .array(let element, let values):
            container(value.type, element.description, in: parent) { child in
                values.allSatisfy { append($0, to: child) }
            }
        case .dictionary(let key, let type, let entries):
            container(value.type, "{\(key)\(type)}", in: parent) { child in
                entries.allSatisfy { appendEntry($0, to: child) }
            }
        case .structure(let fields):
            container(value.type, nil, in: parent) { child in fields.allSatisfy { append($0, to: child) } }
        case .variant(let inner):
            container(.variant, inner.type.description, in: parent) { append(inner, to: $0) }
        default: preconditionFailure("\(value.type) is not a container")
        }
    }

    private static func appendBytes(_ bytes: [UInt8], to iterator: UnsafeMutablePointer<DBusMessageIter>) -> Bool {
        // libdbus refuses a null pointer even with a count of zero.
        bytes.isEmpty || bytes.withUnsafeBytes { cdbus_append_bytes(iterator, $0.baseAddress, Int32($0.count)) != 0 }
    }

    private static func appendEntry(
        _ entry: DictionaryEntry,
        to parent: UnsafeMutablePointer<DBusMessageIter>
    ) -> Bool {
        opened(UInt8(ascii: "e"), nil, in: parent) { append(entry.key, to: $0) && append(entry.value, to: $0) }
    }

    private static func container(
        _ type: ValueType,
        _ contents: String?,
        in parent: UnsafeMutablePointer<DBusMessageIter>,
        _ fill: (UnsafeMutablePointer<DBusMessageIter>) -> Bool
    ) -> Bool {
        opened(type.code, contents, in: parent, fill)
    }

    private static func opened(
        _ code: UInt8,
        _ contents: String?,
        in parent: UnsafeMutablePointer<DBusMessageIter>,
        _ fill: (UnsafeMutablePointer<DBusMessageIter>) -> Bool
    ) -> Bool {
        var child = DBusMessageIter()
        return withUnsafeMutablePointer(to: &child) { child in
            guard dbus_message_iter_open_container(parent, Int32(code), contents, child) != 0 else { return false }
            guard fill(child) else {
                dbus_message_iter_abandon_container(parent, child)
                return false
            }
            return dbus_message_iter_close_container(parent, child) != 0
        }
    }
}

extension OutgoingMessage.Kind {
    fileprivate var code: Int32 {
        switch self {
        case .call: Message.Kind.call.rawValue
        case .reply: Message.Kind.reply.rawValue
        case .failure: Message.Kind.failure.rawValue
        case .signal: Message.Kind.signal.rawValue
        }
    }
}
