package import DBus

/// What an object on the bus tells by its properties: a value that the daemon fills in and its clients read.
///
/// A new property is a stored property with what it is when a daemon does not tell it, and an element of ``properties``.
package protocol DescribedObject: Sendable {
    /// Its properties on the bus, in the order in which they are declared.
    static var properties: [DescribedProperty<Self>] { get }
}

extension DescribedObject {
    /// Reads properties; those that are absent or of another type stay as they are.
    mutating func read(_ properties: [String: Value]) {
        for property in Self.properties {
            if let value = properties[property.declaration.name.description] { property.read(value, &self) }
        }
    }

    /// The properties whose changes are signalled, by name.
    package var changingProperties: [String: Value] {
        Self.properties.reduce(into: [:]) { values, property in
            guard property.declaration.changes == .emitted else { return }
            values[property.declaration.name.description] = property.value(self)
        }
    }

    /// Returns the properties whose changes are signalled and that differ from those of `old`, by name.
    package func changes(since old: Self) -> [String: Value] {
        let before = old.changingProperties
        return changingProperties.filter { before[$0.key] != $0.value }
    }

    /// Returns the properties of an object whose present state `description` returns.
    static func properties(of description: @escaping @Sendable () -> Self) -> [Property] {
        properties.map { property in property.declaration.served { property.value(description()) } }
    }
}

/// A property of objects whose state is a value of type `Description`.
package struct DescribedProperty<Description: Sendable>: Sendable {
    let declaration: PropertyDeclaration
    /// Returns the property of an object.
    let value: @Sendable (Description) -> Value
    /// Sets what a client knows of an object; a value of another type changes nothing.
    let read: @Sendable (Value, inout Description) -> Void

    /// A property with the value of a stored one.
    init<Content: ValueConvertible>(
        _ name: MemberName,
        _ field: any WritableKeyPath<Description, Content> & Sendable,
        _ changes: Property.ChangeNotice,
        _ explanation: String
    ) {
        declaration = PropertyDeclaration(name, Content.valueType, changes, explanation)
        value = { $0[keyPath: field].value }
        read = { value, description in
            if let content = Content(value) { description[keyPath: field] = content }
        }
    }

    /// A property with the value of a stored one, which is encoded.
    init<Content>(
        _ name: MemberName,
        _ field: any WritableKeyPath<Description, Content> & Sendable,
        _ changes: Property.ChangeNotice,
        _ type: ValueType,
        encode: @escaping @Sendable (Content) -> Value,
        decode: @escaping @Sendable (Value) -> Content,
        _ explanation: String
    ) {
        declaration = PropertyDeclaration(name, type, changes, explanation)
        value = { encode($0[keyPath: field]) }
        read = { value, description in description[keyPath: field] = decode(value) }
    }
}
