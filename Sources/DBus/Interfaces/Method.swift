/// A method of an interface.
package struct Method: Sendable {
    package let name: MemberName
    package let inputs: [Argument]
    package let outputs: [Argument]
    /// The annotations in the introspection data, by name.
    package internal(set) var annotations: [String: String]

    /// The implementation of the method.
    ///
    /// Called on the loop's thread, in the order in which the calls arrive, with arguments of the types of
    /// `inputs`. It must be quick and must not block. An error that it throws is sent to the caller, under its `name`,
    /// or as `org.freedesktop.DBus.Error.Failed` without one.
    package internal(set) var handler: @Sendable (Invocation) throws -> MethodResult

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

    /// Returns the same method with another implementation.
    package func handled(by handler: @escaping @Sendable (Invocation) throws -> MethodResult) -> Method {
        var method = self
        method.handler = handler
        return method
    }
}

/// The result of a handler.
package enum MethodResult: Sendable {
    /// The values of the reply, which is sent at once.
    case reply([Value])
    /// A closure whose result or error is the reply; it runs in a child task of the connection and is cancelled when
    /// the connection ends.
    case deferred(@Sendable () async throws -> [Value])
    /// The same; the caller's later messages wait until it has ended, so that its calls are performed in their order.
    ///
    /// For what may block or take long, and must not be overtaken.
    case ordered(@Sendable () async throws -> [Value])

    /// A reply without values, which is sent at once.
    package static var done: MethodResult { .reply([]) }

    /// A reply without values, which is sent when `body` has ended.
    package static func doneAfter(_ body: @escaping @Sendable () async throws -> Void) -> MethodResult {
        .deferred {
            try await body()
            return []
        }
    }
}

/// A call of a method on a local object.
package struct Invocation: Sendable {
    /// The unique name of the caller.
    package let sender: BusName
    package let path: ObjectPath
    package let interface: InterfaceName
    package let member: MemberName
    package let arguments: [Value]
    /// Whether the caller expects a reply.
    ///
    /// If not, neither a reply nor an error is sent.
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

    /// Returns the argument at `index`, counted from zero.
    ///
    /// - Throws: what `Array.decode(at:as:)` throws.
    package func argument<T: ValueConvertible>(_ index: Int, as type: T.Type = T.self) throws(DBusError) -> T {
        try arguments.decode(at: index, as: type)
    }
}
