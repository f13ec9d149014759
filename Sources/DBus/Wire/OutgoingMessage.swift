/// A checked message: encoding and sending it can only fail for lack of memory or of a capability.
struct OutgoingMessage: Sendable {
    enum Kind: Sendable {
        case call(destination: BusName, path: ObjectPath, interface: InterfaceName, member: MemberName, CallFlags)
        case signal(path: ObjectPath, interface: InterfaceName, member: MemberName, destination: BusName?)
        case reply(ReplyAddress)
        case failure(ErrorName, ReplyAddress)
    }

    struct CallFlags: Sendable {
        let expectsReply: Bool
        let startsService: Bool
    }

    let kind: Kind
    let arguments: [Value]
    let carriesDescriptors: Bool

    /// Checks that the message can be passed to libdbus and sent to the bus.
    ///
    /// - Throws: `DBusError` with the code `.invalidValue`, `.invalidName` or `.limit`.
    init(_ kind: Kind, _ arguments: [Value]) throws(DBusError) {
        var limits = BodyLimits()
        _ = try limits.check(arguments)
        let path = kind.path?.description.utf8.count ?? 0
        guard limits.size + path + BodyLimits.headerReserve <= BodyLimits.maximumMessage else {
            throw DBusError(.limit, "a message is larger than \(BodyLimits.maximumMessage >> 20) MiB")
        }
        try kind.refuseLocal()
        self.kind = kind
        self.arguments = arguments
        carriesDescriptors = limits.descriptors > 0
    }

    /// Creates an error reply.
    ///
    /// NULs are removed from `text`, and it is cut to 65536 Unicode scalars.
    init(failure name: ErrorName, _ text: String, to address: ReplyAddress) {
        kind = .failure(name, address)
        let sayable = text.unicodeScalars.lazy.filter { $0.value != 0 }.prefix(1 << 16)
        arguments = [.string(String(String.UnicodeScalarView(sayable)))]
        carriesDescriptors = false
    }
}

extension OutgoingMessage.Kind {
    fileprivate var path: ObjectPath? {
        switch self {
        case .call(_, let path, _, _, _), .signal(let path, _, _, _): path
        case .reply, .failure: nil
        }
    }

    /// Refuses the interface and path that are reserved for libdbus itself: the bus disconnects a sender that uses them
    /// (D-Bus specification, "Message Format", on the local interface and path).
    fileprivate func refuseLocal() throws(DBusError) {
        let interface: InterfaceName
        switch self {
        case .call(_, _, let name, _, _), .signal(_, let name, _, _): interface = name
        case .reply, .failure: return
        }
        let isLocal = interface.description == "org.freedesktop.DBus.Local"
        if isLocal || path?.description == "/org/freedesktop/DBus/Local" {
            throw DBusError(.invalidName, "the D-Bus interface and path 'Local' must not be sent over a bus")
        }
    }
}

/// The caller that waits for a reply, and the serial number of its call.
struct ReplyAddress: Hashable, Sendable {
    let sender: BusName
    let serial: UInt32
}
