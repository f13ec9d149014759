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
    /// The annotations in the introspection data, by name.
    package internal(set) var annotations: [String: String]

    package init(name: MemberName, arguments: [Argument] = [], annotations: [String: String] = [:]) {
        self.name = name
        self.arguments = arguments
        self.annotations = annotations
    }
}

/// One argument of a method or a signal.
package struct Argument: Hashable, Sendable {
    package let name: String
    package let type: ValueType

    package init(name: String, type: ValueType) {
        self.name = name
        self.type = type
    }
}
