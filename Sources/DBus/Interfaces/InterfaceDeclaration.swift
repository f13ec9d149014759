/// An interface as both sides know it: what an object offers, without what serves it.
///
/// The object that serves it, the calls of its clients and its documentation are made from the same declaration.
package struct InterfaceDeclaration: Sendable {
    package let name: InterfaceName
    /// What it is, in a few words that can follow its name.
    package let summary: String
    /// Where its objects are, and how long, for people who write a client.
    package let explanation: String
    package let methods: [MethodDeclaration]
    package let properties: [PropertyDeclaration]
    package let signals: [SignalDescription]

    package init(
        _ name: InterfaceName,
        _ summary: String,
        _ explanation: String = "",
        methods: [MethodDeclaration] = [],
        properties: [PropertyDeclaration] = [],
        signals: [SignalDescription] = []
    ) {
        self.name = name
        self.summary = summary
        self.explanation = explanation
        self.methods = methods
        self.properties = properties
        self.signals = signals
    }
}

/// A method as both sides of a call know it.
package struct MethodDeclaration: Sendable {
    /// The interface that it belongs to.
    package let interface: InterfaceName
    package let name: MemberName
    package let inputs: [Argument]
    package let outputs: [Argument]
    /// What a call does, for people who write a client.
    package let explanation: String

    package init(
        _ interface: InterfaceName,
        _ name: MemberName,
        _ explanation: String,
        _ inputs: [Argument] = [],
        returns outputs: [Argument] = []
    ) {
        self.interface = interface
        self.name = name
        self.explanation = explanation
        self.inputs = inputs
        self.outputs = outputs
    }

    /// Returns the method as an object offers it; see ``Method/handler``.
    package func served(by handler: @escaping @Sendable (Invocation) throws -> MethodResult) -> Method {
        Method(name: name, inputs: inputs, outputs: outputs, handler: handler)
    }
}

/// A property as both sides know it.
package struct PropertyDeclaration: Sendable {
    package let name: MemberName
    package let type: ValueType
    package let changes: Property.ChangeNotice
    package let isWritable: Bool
    /// What its value means, for people who write a client.
    package let explanation: String

    package init(
        _ name: MemberName,
        _ type: ValueType,
        _ changes: Property.ChangeNotice,
        isWritable: Bool = false,
        _ explanation: String
    ) {
        self.name = name
        self.type = type
        self.changes = changes
        self.isWritable = isWritable
        self.explanation = explanation
    }

    /// Returns the property as an object offers it; see ``Property/get``.
    package func served(by get: @escaping @Sendable () -> Value) -> Property {
        precondition(!isWritable, "\(name) can be set")
        return Property(name: name, type: type, changes: changes, get: get)
    }

    /// Returns a writable property as an object offers it; see ``Property/get`` and ``Property/set``.
    package func served(
        by get: @escaping @Sendable () -> Value,
        set: @escaping @Sendable (Value, Invocation) throws -> MethodResult
    ) -> Property {
        precondition(isWritable, "\(name) cannot be set")
        return Property(name: name, type: type, changes: changes, get: get, set: set)
    }
}

extension Interface {
    /// Makes the interface of a declaration, annotated for code generators.
    ///
    /// - Parameters:
    ///   - declaration: what the interface has.
    ///   - methods: all methods of the declaration, in its order.
    ///   - properties: all its properties, in its order.
    package init(
        _ declaration: InterfaceDeclaration,
        methods: [Method] = [],
        properties: [Property] = []
    ) {
        precondition(
            methods.map(\.name) == declaration.methods.map(\.name)
                && properties.map(\.name) == declaration.properties.map(\.name),
            "\(declaration.name) is not served as it is declared"
        )
        self = Interface(
            name: declaration.name,
            methods: methods,
            properties: properties,
            signals: declaration.signals
        ).annotatedForCodeGenerators()
    }
}
