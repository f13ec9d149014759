/// A signal that was received or is to be emitted.
package struct Signal: Hashable, Sendable {
    /// The unique name of the connection that emitted it; the bus fills it in.
    package var sender: BusName?
    package var path: ObjectPath
    package var interface: InterfaceName
    package var member: MemberName
    package var arguments: [Value]
    /// The only connection that receives it; nil for all that have a matching rule.
    package var destination: BusName?

    package init(
        sender: BusName? = nil,
        path: ObjectPath,
        interface: InterfaceName,
        member: MemberName,
        arguments: [Value] = [],
        destination: BusName? = nil
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.destination = destination
    }
}

extension Signal {
    /// Returns the checked message of the signal.
    func message() throws(DBusError) -> OutgoingMessage {
        let kind = OutgoingMessage.Kind.signal(
            path: path,
            interface: interface,
            member: member,
            destination: destination
        )
        return try OutgoingMessage(kind, arguments)
    }
}
