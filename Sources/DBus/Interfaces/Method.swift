/// A method of an interface.
package struct Method: Sendable {
    package let name: MemberName
    package let inputs: [Argument]
    package let outputs: [Argument]
    package let annotations: [String: String]

    /// What the method does.
    ///
    /// Called on the connection's thread, in the order in which the calls came, with arguments that have the types of
    /// `inputs`: it has to be quick and must not block. An error it throws is the caller's answer, under its `name`, or
    /// as `org.freedesktop.DBus.Error.Failed` without one.
    package let handler: @Sendable (Invocation) throws -> MethodResult

    package init(
        name: MemberName,
        inputs: [Argument] = [],
        outputs: [Argument] = [],
        annotations: [String: String] = [:],
        handler: @escaping @Sendable (Invocation) throws -> MethodResult
    ) {
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.annotations = annotations
        self.handler = handler
    }
}

/// How a handler answers.
package enum MethodResult: Sendable {
    /// With these values, at once.
    case reply([Value])
    /// With what this returns or throws, in a child task of the connection; it is cancelled when the connection ends.
    case deferred(@Sendable () async throws -> [Value])
}

/// A call that somebody makes on an object of ours.
package struct Invocation: Sendable {
    /// The unique name of the caller.
    package let sender: BusName
    package let path: ObjectPath
    package let interface: InterfaceName
    package let member: MemberName
    package let arguments: [Value]
    /// Whether the caller waits for an answer.
    ///
    /// If not, none is sent, and no error either.
    package let expectsReply: Bool

    package init(
        sender: BusName,
        path: ObjectPath,
        interface: InterfaceName,
        member: MemberName,
        arguments: [Value],
        expectsReply: Bool
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.expectsReply = expectsReply
    }
}
