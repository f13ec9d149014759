import CDBus

/// One reference to a message of libdbus, released at the end of its lifetime.
struct Message: ~Copyable {
    let raw: OpaquePointer

    /// Takes ownership of one reference.
    init(taking raw: OpaquePointer) {
        self.raw = raw
    }

    deinit {
        dbus_message_unref(raw)
    }

    var kind: Kind {
        Kind(rawValue: dbus_message_get_type(raw)) ?? .other
    }

    /// The types of message (D-Bus specification, "Message Format").
    enum Kind: Int32 {
        case other = 0
        case call = 1
        case reply = 2
        case failure = 3
        case signal = 4
    }

    // libdbus has checked the values below when it received the message.

    var serial: UInt32 { dbus_message_get_serial(raw) }
    var replySerial: UInt32 { dbus_message_get_reply_serial(raw) }
    var expectsReply: Bool { dbus_message_get_no_reply(raw) == 0 }
    var sender: BusName? { Self.name(dbus_message_get_sender(raw)) }
    var destination: BusName? { Self.name(dbus_message_get_destination(raw)) }
    var path: ObjectPath? { Self.name(dbus_message_get_path(raw)) }
    var interface: InterfaceName? { Self.name(dbus_message_get_interface(raw)) }
    var member: MemberName? { Self.name(dbus_message_get_member(raw)) }
    var errorName: ErrorName? { Self.name(dbus_message_get_error_name(raw)) }
    var signature: String { String(cString: dbus_message_get_signature(raw)) }

    private static func name<Name: ValidatedName>(_ text: UnsafePointer<CChar>?) -> Name? {
        text.map { Name(trusted: String(cString: $0)) }
    }
}
