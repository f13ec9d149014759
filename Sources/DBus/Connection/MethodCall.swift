/// A call of a method on an object of another connection.
package struct MethodCall: Hashable, Sendable {
    package var destination: BusName
    package var path: ObjectPath
    package var interface: InterfaceName
    package var member: MemberName
    package var arguments: [Value]
    /// Whether the bus may start the program that owns `destination`.
    package var startsService: Bool

    package init(
        destination: BusName,
        path: ObjectPath,
        interface: InterfaceName,
        member: MemberName,
        arguments: [Value] = [],
        startsService: Bool = true
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.startsService = startsService
    }
}

extension MethodCall {
    /// Returns a call of a method of the bus itself.
    static func bus(_ member: MemberName, _ arguments: [Value] = []) -> MethodCall {
        MethodCall(
            destination: .bus,
            path: "/org/freedesktop/DBus",
            interface: .bus,
            member: member,
            arguments: arguments
        )
    }

    /// Returns the checked message of the call.
    func message(expectsReply: Bool) throws(DBusError) -> OutgoingMessage {
        let flags = OutgoingMessage.CallFlags(expectsReply: expectsReply, startsService: startsService)
        let kind = OutgoingMessage.Kind.call(
            destination: destination,
            path: path,
            interface: interface,
            member: member,
            flags
        )
        return try OutgoingMessage(kind, arguments)
    }
}

extension MethodDeclaration {
    /// Returns a call of the method, whose arguments have the types of `inputs`.
    package func call(
        of destination: BusName,
        at path: ObjectPath,
        _ arguments: [Value],
        startsService: Bool = true
    ) -> MethodCall {
        precondition(arguments.map(\.type) == inputs.map(\.type), "\(interface).\(name) has other arguments")
        return MethodCall(
            destination: destination,
            path: path,
            interface: interface,
            member: name,
            arguments: arguments,
            startsService: startsService
        )
    }
}
