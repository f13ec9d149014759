import DBus

/// The `.md` of an interface in Docs/dbus: people write it, but for the headings of the members.
struct InterfacePage {
    /// A member with the heading and the first sentence of its section.
    private struct Member {
        let kind: String
        let name: String
        let heading: String
        let explanation: String
    }

    private let members: [Member]

    init(_ declaration: InterfaceDeclaration) {
        let methods = declaration.methods.map { method in
            let outputs = method.outputs.isEmpty ? "" : " → \(Self.text(method.outputs))"
            return Member(
                kind: "## Methods",
                name: "\(method.name)",
                heading: "### \(method.name)(\(Self.text(method.inputs)))\(outputs)",
                explanation: method.explanation
            )
        }
        let properties = declaration.properties.map { property in
            let notes = (property.isWritable ? ", writable" : "") + Self.note(property.changes)
            return Member(
                kind: "## Properties",
                name: "\(property.name)",
                heading: "### \(property.name) `\(property.type)`\(notes)",
                explanation: property.explanation.prefix(1).uppercased() + property.explanation.dropFirst() + "."
            )
        }
        let signals = declaration.signals.map { signal in
            Member(
                kind: "## Signals",
                name: "\(signal.name)",
                heading: "### \(signal.name)(\(Self.text(signal.arguments)))",
                explanation: signal.explanation
            )
        }
        members = methods + properties + signals
    }

    /// The names of all members.
    var names: Set<String> { Set(members.map(\.name)) }

    /// Returns the page with the headings of the declaration, and with a section for each member that has none yet.
    func updated(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for member in members {
            let starts = ["### \(member.name)(", "### \(member.name) "]
            if let index = lines.firstIndex(where: { line in starts.contains(where: line.hasPrefix) }) {
                lines[index] = member.heading
            } else {
                Self.insert(member, in: &lines)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Adds the section of a member at the end of those of its kind.
    private static func insert(_ member: Member, in lines: inout [String]) {
        if !lines.contains(member.kind) { lines.insert(contentsOf: ["", member.kind], at: lines.count - 1) }
        let start = lines.firstIndex(of: member.kind).map { $0 + 1 } ?? lines.endIndex
        let next = lines[start...].firstIndex { $0.hasPrefix("## ") }
        let section = [member.heading, ""] + member.explanation.wrapped(to: 120)
        if let next {
            lines.insert(contentsOf: section + [""], at: next)
        } else {
            lines.insert(contentsOf: [""] + section, at: lines.count - 1)
        }
    }

    private static func text(_ arguments: [Argument]) -> String {
        arguments.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
    }

    /// The note in a property's heading about the notification of its changes.
    private static func note(_ changes: Property.ChangeNotice) -> String {
        switch changes {
        case .emitted: ""
        case .invalidated: ", told without its value"
        case .constant: ", constant"
        case .silent: ", not told"
        }
    }
}
