/// Which signals to receive: those that fit everything that is not nil (D-Bus specification, "Match Rules").
package struct MatchRule: Hashable, Sendable, CustomStringConvertible {
    /// Who emits it.
    ///
    /// A well-known name means whoever owns it at that moment.
    package var sender: BusName?
    /// The object that emits it.
    ///
    /// Not together with `pathNamespace`, which the bus refuses.
    package var path: ObjectPath?
    /// The object that emits it, or an object above that one.
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

    /// The rule as the bus reads it.
    package var description: String {
        let parts: [(key: String, value: String?)] = [
            ("type", "signal"), ("sender", sender?.description), ("path", path?.description),
            ("path_namespace", pathNamespace?.description), ("interface", interface?.description),
            ("member", member?.description), ("arg0", arg0),
        ]
        return parts.compactMap { part in part.value.map { "\(part.key)=\(Self.quoted($0))" } }.joined(separator: ",")
    }

    /// An apostrophe can only stand outside of the quotes, after a backslash.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}

extension MatchRule {
    /// Whether the rule fits a signal as far as its header goes; `owner` is who owns the rule's sender now.
    func matches(_ header: SignalHeader, owner: BusName?) -> Bool {
        if sender != nil, owner == nil || owner != header.sender { return false }
        if let path, path != header.path { return false }
        if let top = pathNamespace, header.path != top, !header.path.isDescendant(of: top) { return false }
        if let interface, interface != header.interface { return false }
        return member == nil || member == header.member
    }

    /// Whether the rule fits a signal's arguments.
    func matches(_ arguments: [Value]) -> Bool {
        arg0 == nil || arguments.first?.string == arg0
    }
}

/// What a signal says before its arguments are read.
struct SignalHeader {
    let sender: BusName
    let path: ObjectPath
    let interface: InterfaceName
    let member: MemberName
}
