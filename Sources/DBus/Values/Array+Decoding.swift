extension Array where Element == Value {
    /// Returns the argument at `index`, counted from zero, as the Swift type `type`.
    ///
    /// - Throws: `DBusError.Code.unexpectedReply`, with the position and both types, if there is no such argument or it
    ///   has another type. A handler that does not catch it replies with `org.freedesktop.DBus.Error.InvalidArgs`.
    package func decode<T: ValueConvertible>(at index: Int, as type: T.Type) throws(DBusError) -> T {
        guard indices.contains(index) else {
            throw Self.mismatch(at: index, "nothing", T.valueType)
        }
        guard let value = T(self[index]) else {
            throw Self.mismatch(at: index, "'\(self[index].type)'", T.valueType)
        }
        return value
    }

    private static func mismatch(at index: Int, _ found: String, _ expected: ValueType) -> DBusError {
        let text = "argument \(index) is \(found), and '\(expected)' was expected"
        return DBusError(.unexpectedReply, text, name: .invalidArgs)
    }
}
