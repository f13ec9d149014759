extension UserInfoValue {
    /// Checks that every side can represent this value.
    ///
    /// - Parameters:
    ///   - depth: how many levels may still be used, this value included.
    ///   - path: where the value stands, for messages.
    /// - Throws: ``ModelError/Code/userInfoTooDeep`` or ``ModelError/Code/invalidValue``.
    func validate(depth: Int, path: String) throws(ModelError) {
        guard depth > 0 else {
            throw ModelError(
                .userInfoTooDeep,
                "userInfo nests deeper than \(ActivityLimits.nestingDepth) levels under \(path): flatten it."
            )
        }
        switch self {
        case .null, .boolean, .integer, .real, .data, .date:
            break
        case .unsigned(let value):
            guard value > UInt64(Int64.max) else {
                throw ModelError(.invalidValue, "\(path) is \(value), which is an integer, not an unsigned number.")
            }
        case .string(let text), .url(let text):
            guard !text.holdsNUL else {
                throw ModelError(.invalidValue, "\(path) holds U+0000: send it as data.")
            }
        case .array(let elements):
            for element in elements { try element.validate(depth: depth - 1, path: path) }
        case .set(let elements):
            for element in elements { try element.validate(depth: depth - 1, path: path) }
        case .dictionary(let entries):
            try Self.validate(entries, depth: depth - 1, path: path + ".")
        }
    }

    /// Checks the names and values of a dictionary.
    ///
    /// - Parameters:
    ///   - depth: how many levels may be used by each value.
    ///   - path: what stands before each name in messages.
    static func validate(_ entries: [String: UserInfoValue], depth: Int, path: String) throws(ModelError) {
        for (key, value) in entries {
            guard !key.holdsNUL else {
                throw ModelError(.invalidValue, "The key \((path + key).debugDescription) holds U+0000: leave it out.")
            }
            try value.validate(depth: depth, path: path + key)
        }
    }
}
