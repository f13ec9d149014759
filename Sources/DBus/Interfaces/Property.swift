/// A property of an interface.
package struct Property: Sendable {
    /// The content of the change notification for a property (`org.freedesktop.DBus.Property.EmitsChangedSignal`).
    package enum ChangeNotice: Sendable {
        /// The new value.
        case emitted
        /// Only the fact that the property changed.
        case invalidated
        /// No notification, because the property never changes.
        case constant
        /// No notification.
        case silent
    }

    package let name: MemberName
    package let type: ValueType
    package let changes: ChangeNotice
    /// The annotations in the introspection data besides that of `changes`, by name.
    package internal(set) var annotations: [String: String] = [:]

    /// Returns the current value, of type `type`.
    ///
    /// Called on the loop's thread: must be quick and must not block.
    package let get: @Sendable () -> Value

    /// Sets the value, or throws the error for the caller; nil if the property cannot be written.
    ///
    /// Called on the loop's thread with a value of type `type`; returns the empty reply, or what leads to it. The setter has
    /// to emit the change itself, with `ObjectTree.propertiesChanged`.
    package let set: (@Sendable (Value, Invocation) throws -> MethodResult)?

    package init(
        name: MemberName,
        type: ValueType,
        changes: ChangeNotice = .emitted,
        get: @escaping @Sendable () -> Value,
        set: (@Sendable (Value, Invocation) throws -> MethodResult)? = nil
    ) {
        self.name = name
        self.type = type
        self.changes = changes
        self.get = get
        self.set = set
    }
}

extension Property {
    /// Returns the current value after checking its type.
    ///
    /// - Throws: an error for the caller if the value is not of the declared type.
    func checkedValue() throws(DBusError) -> Value {
        let value = get()
        guard value.type == type else {
            throw .failure(
                .failed,
                "the property \(name) has a value of type '\(value.type)', but its declared type is '\(type)'"
            )
        }
        return value
    }
}

extension Interface {
    /// The values of all properties as `a{sv}`; those whose value has a wrong type are omitted.
    var propertyValues: Value {
        let entries = properties.compactMap { property in
            (try? property.checkedValue()).map {
                DictionaryEntry(key: .string(property.name.description), value: .variant($0))
            }
        }
        return .dictionary(key: .string, value: .variant, entries)
    }
}
