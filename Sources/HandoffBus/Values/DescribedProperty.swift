import DBus

/// A property of objects whose state is a value of type `Description`.
struct DescribedProperty<Description>: Sendable {
    let name: MemberName
    let type: ValueType
    let changes: Property.ChangeNotice
    let value: @Sendable (Description) -> Value

    init(
        _ name: MemberName,
        _ type: ValueType,
        _ changes: Property.ChangeNotice,
        _ value: @escaping @Sendable (Description) -> Value
    ) {
        self.name = name
        self.type = type
        self.changes = changes
        self.value = value
    }

    /// Returns the property of the object whose present state is `description`.
    func property(of description: @escaping @Sendable () -> Description) -> Property {
        let value = value
        return Property(name: name, type: type, changes: changes) { value(description()) }
    }
}

extension Array {
    /// Returns the values of the properties whose changes are signalled with the new value, by name.
    func changing<Description>(in description: Description) -> [String: Value]
    where Element == DescribedProperty<Description> {
        reduce(into: [:]) { values, property in
            if property.changes == .emitted { values[property.name.description] = property.value(description) }
        }
    }
}
