extension ObjectTree {
    /// Returns the introspection data of an object with `interfaces`, in the given order, and `children`.
    ///
    /// Equal input gives equal text (D-Bus specification, "Introspection Data Format"): the standard interfaces are
    /// included only if they are given, and default values are omitted.
    package static func introspectionXML(interfaces: [Interface], children: [String] = []) -> String {
        var lines = [
            #"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN""#,
            #" "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#,
        ]
        let contents = interfaces.flatMap(element) + children.map { "<node\(attributes([("name", $0)]))/>" }
        lines += element("node", [], contents)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func element(_ interface: Interface) -> [String] {
        let contents =
            interface.methods.flatMap(element) + interface.signals.flatMap(element)
            + interface.properties.flatMap(element) + annotations(interface.annotations)
        return element("interface", [("name", interface.name.description)], contents)
    }

    private static func element(_ method: Method) -> [String] {
        let contents =
            method.inputs.map { argument($0, direction: "in") } + method.outputs.map { argument($0, direction: "out") }
            + annotations(method.annotations)
        return element("method", [("name", method.name.description)], contents)
    }

    private static func element(_ signal: SignalDescription) -> [String] {
        let contents = signal.arguments.map { argument($0, direction: nil) } + annotations(signal.annotations)
        return element("signal", [("name", signal.name.description)], contents)
    }

    private static func element(_ property: Property) -> [String] {
        let access = property.set == nil ? "read" : "readwrite"
        let list = [("name", property.name.description), ("type", property.type.description), ("access", access)]
        let all = property.annotations.merging(property.changes.annotation ?? [:]) { _, notice in notice }
        return element("property", list, annotations(all))
    }

    private static func argument(_ argument: Argument, direction: String?) -> String {
        var list = [("name", argument.name), ("type", argument.type.description)]
        if let direction { list.append(("direction", direction)) }
        return "<arg\(attributes(list))/>"
    }

    private static func annotations(_ annotations: [String: String]) -> [String] {
        annotations.sorted { $0.key < $1.key }.map {
            "<annotation\(attributes([("name", $0.key), ("value", $0.value)]))/>"
        }
    }

    private static func element(_ name: String, _ list: [(String, String)], _ contents: [String]) -> [String] {
        if contents.isEmpty { return ["<\(name)\(attributes(list))/>"] }
        return ["<\(name)\(attributes(list))>"] + contents.map { "  " + $0 } + ["</\(name)>"]
    }

    private static func attributes(_ list: [(String, String)]) -> String {
        list.map { #" \#($0.0)="\#(escaped($0.1))""# }.joined()
    }

    private static func escaped(_ text: String) -> String {
        let entities: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\n": "&#10;"]
        return text.map { entities[$0] ?? String($0) }.joined()
    }
}

extension Property.ChangeNotice {
    /// The annotation for this notification; nil for the default (D-Bus specification,
    /// "org.freedesktop.DBus.Properties").
    fileprivate var annotation: [String: String]? {
        let value: String
        switch self {
        case .emitted: return nil
        case .invalidated: value = "invalidates"
        case .constant: value = "const"
        case .silent: value = "false"
        }
        return ["org.freedesktop.DBus.Property.EmitsChangedSignal": value]
    }
}
