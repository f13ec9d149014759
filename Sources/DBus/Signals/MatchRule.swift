/// A rule for signals to receive: a signal matches if it agrees with every property that is not nil (D-Bus
/// specification, "Match Rules").
package struct MatchRule: Hashable, Sendable, CustomStringConvertible {
    /// The sender of the signal.
    ///
    /// A well-known name stands for its current owner.
    package var sender: BusName?
    /// The object that emits the signal.
    ///
    /// Not to be combined with `pathNamespace`; the bus refuses both together.
    package var path: ObjectPath?
    /// The object that emits the signal, or an ancestor of it.
    package var pathNamespace: ObjectPath?
    package var interface: InterfaceName?
    package var member: MemberName?
    /// The first argument, if that is a string.
    package var arg0: String?

    package init(
        sender: BusName? = nil,
        path: ObjectPath? = nil,
        pathNamespace: ObjectPath? = nil,
        interface: InterfaceName? = nil,
        member: MemberName? = nil,
        arg0: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.arg0 = arg0
    }

    /// The rule in the format of the bus.
    package var description: String {
        let parts: [(key: String, value: String?)] = [
            ("type", "signal"), ("sender", sender?.description), ("path", path?.description),
            ("path_namespace", pathNamespace?.description), ("interface", interface?.description),
            ("member", member?.description), ("arg0", arg0),
        ]
        return parts.compactMap { part in part.value.map { "\(part.key)=\(Self.quoted($0))" } }.joined(separator: ",")
    }

    /// An apostrophe is only possible outside of the quotes, after a backslash.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}

extension MatchRule {
    /// Whether the rule matches the header of a signal; `owner` is the current owner of the rule's sender.
    func matches(_ header: SignalHeader, owner: BusName?) -> Bool {
        if sender != nil, owner == nil || owner != header.sender { return false }
        if let path, path != header.path { return false }
        if let top = pathNamespace, header.path != top, !header.path.isDescendant(of: top) { return false }
        if let interface, interface != header.interface { return false }
        return member == nil || member == header.member
    }

    /// Whether the rule matches the arguments of a signal.
    func matches(_ arguments: [Value]) -> Bool {
        arg0 == nil || arguments.first?.string == arg0
    }
}

/// The header of a signal, whose arguments have not been read yet.
struct SignalHeader {
    let sender: BusName
    let path: ObjectPath
    let interface: InterfaceName
    let member: MemberName
}
