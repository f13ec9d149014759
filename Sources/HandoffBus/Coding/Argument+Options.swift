package import DBus

extension Argument {
    /// The last argument of every method, for what later versions add; unknown keys are ignored.
    static let options = options(allowing: "for later versions; empty")

    /// The last argument of a method that has options.
    static func options(allowing explanation: String) -> Argument {
        Argument("options", [String: Value].valueType, explanation)
    }

    /// The last argument of every signal: what does not always apply, and what later versions add.
    static let details = details(with: "none yet")

    /// The last argument of a signal that tells details.
    static func details(with explanation: String) -> Argument {
        Argument("details", [String: Value].valueType, explanation)
    }
}

extension ValueType {
    /// The type `a{sv}` of a dictionary that later versions can extend.
    static let properties = [String: Value].valueType

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
