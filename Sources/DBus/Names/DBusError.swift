/// A D-Bus error: a code for programs and a message for users.
package struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// A bus, interface, member or error name, an object path or a signature breaks the rules of D-Bus.
        case invalidName
        /// A value cannot be sent: a NUL in a string, mixed types in an array, nesting too deep.
        case invalidValue
        /// The text is not a bus address, or the address is unknown.
        case invalidAddress
        /// No bus answers at the address.
        case connectFailed
        /// The connection to the bus was lost or has ended.
        case disconnected
        /// No reply arrived in time.
        case timedOut
        /// The task that waited was cancelled.
        case cancelled
        /// Another connection owns the bus name.
        case nameTaken
        /// The bus revoked a name of this connection.
        case nameLost
        /// The callee replied with the error `name`.
        case remote
        /// The callee disconnected or refused to answer before it replied.
        case noReply
        /// A reader was too slow, and its buffer overflowed.
        case overflow
        /// A limit of D-Bus, libdbus, memory or this module was reached.
        case limit
        /// A message is not as specified: wrong types, too few arguments.
        case unexpectedReply

        /// The name of the code in messages and logs.
        package var description: String { rawValue }
    }

    package let code: Code

    /// A sentence that says what was wrong and, if there is a remedy, what to do.
    package let message: String

    /// The D-Bus name of the error, if it was received or is to be sent as a reply.
    package let name: ErrorName?

    /// Whether the bus has reported that the name has no owner and that no service could be started to own it (D-Bus
    /// specification, "Message Bus Starting Services").
    package var indicatesAbsentService: Bool {
        guard let name else { return false }
        return [.serviceUnknown, .nameHasNoOwner].contains(name)
            || name.description.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
    }

    package init(_ code: Code, _ message: String, name: ErrorName? = nil) {
        self.code = code
        self.message = message
        self.name = name
    }

    /// Creates an error that a handler throws to reply to its caller with the error `name`.
    package static func failure(_ name: ErrorName, _ message: String) -> DBusError {
        DBusError(.remote, message, name: name)
    }

    package var description: String {
        name.map { "\(message) (\($0))" } ?? message
    }
}

extension DBusError {
    /// libdbus reported a failed allocation; the current message is dropped, and the connection continues.
    static let outOfMemory = DBusError(.limit, "not enough memory for this message")

    /// The connection has ended.
    static let disconnected = DBusError(.disconnected, "the connection to the bus has ended")
}
