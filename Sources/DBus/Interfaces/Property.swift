/// A property of an interface.
package struct Property: Sendable {
    /// What listeners are told when the property changes (`org.freedesktop.DBus.Property.EmitsChangedSignal`).
    package enum ChangeNotice: Sendable {
        /// Its new value.
        case emitted
        /// That it changed.
        case invalidated
        /// Nothing, since it never changes.
        case constant
        /// Nothing.
        case silent
    }

    package let name: MemberName
    package let type: ValueType
    package let changes: ChangeNotice

    /// The value now, of type `type`.
    ///
    /// Called on the connection's thread: it has to be quick and must not block.
    package let get: @Sendable () -> Value

    /// Changes the value, or throws the caller's answer; nil if the property cannot be written.
    ///
    /// Called on the connection's thread with a value of type `type`. It is for the setter to say so through
    /// `ObjectTree.propertiesChanged`.
    package let set: (@Sendable (Value, Invocation) throws -> Void)?

    package init(
        name: MemberName,
        type: ValueType,
        changes: ChangeNotice = .emitted,
        get: @escaping @Sendable () -> Value,
        set: (@Sendable (Value, Invocation) throws -> Void)? = nil
    ) {
        self.name = name
        self.type = type
        self.changes = changes
        self.get = get
        self.set = set
    }
}

extension Property {
    /// The value now, checked.
    ///
    /// - Throws: an error for the caller if the value is not of the declared type.
    func checkedValue() throws(DBusError) -> Value {
        let value = get()
        guard value.type == type else {
            throw .failure(.failed, "the property \(name) is '\(value.type)' where '\(type)' was declared")
        }
        return value
    }
}

extension Interface {
    /// All properties that can be read now, as `a{sv}`.
    var propertyValues: Value {
        let entries = properties.compactMap { property in
            (try? property.checkedValue()).map {
                DictionaryEntry(key: .string(property.name.description), value: .variant($0))
            }
        }
        return .dictionary(key: .string, value: .variant, entries)
    }
}
