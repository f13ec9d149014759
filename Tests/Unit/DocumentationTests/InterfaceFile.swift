import DBus

/// The `.xml` of an interface in Docs/dbus: its introspection data, with a comment for each member.
struct InterfaceFile {
    private let declaration: InterfaceDeclaration
    /// The comment before each member, by the beginning of its element.
    private let comments: [String: [String]]

    init(_ declaration: InterfaceDeclaration) {
        self.declaration = declaration
        var comments: [String: [String]] = [:]
        for method in declaration.methods {
            comments["    <method name=\"\(method.name)\""] = Self.comment(
                "\(method.name)",
                method.inputs + method.outputs,
                method.explanation
            )
        }
        for signal in declaration.signals {
            comments["    <signal name=\"\(signal.name)\""] = Self.comment(
                "\(signal.name)",
                signal.arguments,
                signal.explanation
            )
        }
        for property in declaration.properties {
            comments["    <property name=\"\(property.name)\""] = Self.comment(
                "\(property.name): \(property.explanation)"
            )
        }
        self.comments = comments
    }

    var text: String {
        let lines = ObjectTree.introspectionXML(interfaces: [declaration.unserved]).split(separator: "\n")
        var result: [String] = []
        for line in lines.map(String.init) {
            if line.hasPrefix("  <interface ") { result += header }
            if let comment = comments.first(where: { line.hasPrefix($0.key) })?.value {
                let isFirst = result.last?.hasPrefix("  <interface ") == true
                result += (isFirst ? [] : [""]) + comment
            }
            result.append(line)
        }
        return result.joined(separator: "\n") + "\n"
    }

    private var header: [String] {
        let lines =
            ["\(declaration.name):"] + "@short_description: \(declaration.summary)".wrapped(to: Self.width - 2)
            + (declaration.explanation.isEmpty ? [] : [""] + declaration.explanation.wrapped(to: Self.width - 2))
        return ["  <!--"] + lines.map { $0.isEmpty ? "" : "      " + $0 } + ["  -->"]
    }

    /// How wide the text of a comment before a member is, without its indentation.
    private static let width = 112

    private static func comment(_ text: String) -> [String] {
        let line = "    <!-- \(text.wrapped(to: .max).joined()) -->"
        if line.count <= 120 { return [line] }
        return ["    <!--"] + text.wrapped(to: width).map { "        " + $0 } + ["    -->"]
    }

    private static func comment(_ name: String, _ arguments: [Argument], _ explanation: String) -> [String] {
        let arguments = arguments.flatMap { argument in
            let lines = "@\(argument.name): \(argument.explanation)".wrapped(to: width - 4)
            return lines.prefix(1) + lines.dropFirst().map { "    " + $0 }
        }
        let lines = ["\(name):"] + arguments + [""] + explanation.wrapped(to: width)
        return ["    <!--"] + lines.map { $0.isEmpty ? "" : "        " + $0 } + ["    -->"]
    }
}

extension InterfaceDeclaration {
    private struct NotServed: Error {}

    /// An interface of which nothing is called.
    fileprivate var unserved: Interface {
        Interface(
            self,
            methods: methods.map { $0.served { _ in throw NotServed() } },
            properties: properties.map { property in
                let get: @Sendable () -> Value = { preconditionFailure("the properties are not read") }
                return property.isWritable ? property.served(by: get, set: { _, _ in .done }) : property.served(by: get)
            }
        )
    }
}

extension String {
    /// The words of the text in lines of at most `width` characters.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        for word in split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count < width - word.count {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
