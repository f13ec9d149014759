package import DBus

extension Argument {
    /// The last argument of every method, for what later versions add; unknown keys are ignored.
    static let options = Argument(name: "options", type: [String: Value].valueType)

    /// The last argument of every signal: what does not always apply, and what later versions add.
    static let details = Argument(name: "details", type: [String: Value].valueType)
}

extension ValueType {
    /// The type `aa{sv}` of a list whose elements later versions can extend.
    static let dictionaries = ValueType.array([String: Value].valueType)
}

extension Value {
    /// The options of a call that sets none.
    package static var noOptions: Value { [String: Value]().value }

    /// Returns a value of the type `aa{sv}`.
    static func dictionaries(_ elements: [[String: Value]]) -> Value {
        .array(of: [String: Value].valueType, elements.map(\.value))
    }

    /// The elements of a value of the type `aa{sv}`; those of another type are left out.
    package var dictionaries: [[String: Value]] { (array ?? []).compactMap(\.stringDictionary) }
}
