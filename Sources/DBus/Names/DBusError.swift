/// What went wrong on the bus, in words for a person and a code for a program.
package struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    ///
    /// A struct and not an enum, so that a code can be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// A bus, interface, member or error name, an object path or a signature breaks the rules of D-Bus.
        package static let invalidName = Code(description: "invalidName")
        /// A value cannot be sent: a NUL in a string, mixed types in an array, nesting too deep.
        package static let invalidValue = Code(description: "invalidValue")
        /// The text is not an address of a bus, or no address is known.
        package static let invalidAddress = Code(description: "invalidAddress")
        /// No bus answers at the address.
        package static let connectFailed = Code(description: "connectFailed")
        /// The bus went away, or the connection has ended.
        package static let disconnected = Code(description: "disconnected")
        /// No answer came in the time allowed.
        package static let timedOut = Code(description: "timedOut")
        /// The task that waited was cancelled.
        package static let cancelled = Code(description: "cancelled")
        /// Somebody else owns the bus name.
        package static let nameTaken = Code(description: "nameTaken")
        /// The bus took a name of ours away.
        package static let nameLost = Code(description: "nameLost")
        /// The other side answered with an error; `name` says which.
        package static let remote = Code(description: "remote")
        /// The other side vanished, or refused to answer, before it replied.
        package static let noReply = Code(description: "noReply")
        /// A reader was too slow for what arrived, and something would have been lost.
        package static let overflow = Code(description: "overflow")
        /// A limit of D-Bus, of libdbus, of memory or of ours was reached.
        package static let limit = Code(description: "limit")
        /// A message is not what was agreed: wrong types, too few arguments.
        package static let unexpectedReply = Code(description: "unexpectedReply")
    }

    package let code: Code

    /// A sentence that names what was wrong and, where there is a cure, what to do.
    package let message: String

    /// The name of the error on the bus, where it came from there or shall go there.
    package let name: ErrorName?

    /// Whether a bus has said that nobody owns the name, and that nothing can be started to own it (D-Bus specification,
    /// "Message Bus Starting Services").
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

    /// The error a handler throws to answer its caller with the error `name`.
    package static func failure(_ name: ErrorName, _ message: String) -> DBusError {
        DBusError(.remote, message, name: name)
    }

    package var description: String {
        name.map { "\(message) (\($0))" } ?? message
    }
}

extension DBusError {
    /// libdbus reports a failed allocation; the message in hand is given up, the connection lives on.
    static let outOfMemory = DBusError(.limit, "there is not enough memory for this message")

    /// The connection has ended.
    static let disconnected = DBusError(.disconnected, "the connection to the bus has ended")
}
