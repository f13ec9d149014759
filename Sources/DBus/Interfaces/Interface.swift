/// A named set of methods, properties and signals that an object offers.
package struct Interface: Sendable {
    package let name: InterfaceName
    package let methods: [Method]
    package let properties: [Property]
    package let signals: [SignalDescription]
    /// The annotations in the introspection data, by name.
    package let annotations: [String: String]

    package init(
        name: InterfaceName,
        methods: [Method] = [],
        properties: [Property] = [],
        signals: [SignalDescription] = [],
        annotations: [String: String] = [:]
    ) {
        self.name = name
        self.methods = methods
        self.properties = properties
        self.signals = signals
        self.annotations = annotations
    }
}

/// A signal that an interface declares.
package struct SignalDescription: Hashable, Sendable {
    package let name: MemberName
    package let arguments: [Argument]
    /// What it tells, for people who write a client.
    package let explanation: String
    /// The annotations in the introspection data, by name.
    package internal(set) var annotations: [String: String]

    package init(
        name: MemberName,
        _ explanation: String = "",
        arguments: [Argument] = [],
        annotations: [String: String] = [:]
    ) {
        self.name = name
        self.explanation = explanation
        self.arguments = arguments
        self.annotations = annotations
    }
}

/// One argument of a method or a signal.
package struct Argument: Hashable, Sendable {
    package let name: String
    package let type: ValueType
    /// What it means, for people who write a client.
    package let explanation: String

    package init(name: String, type: ValueType) {
        self.init(name, type, "")
    }

    package init(_ name: String, _ type: ValueType, _ explanation: String) {
        self.name = name
        self.type = type
        self.explanation = explanation
    }
}
