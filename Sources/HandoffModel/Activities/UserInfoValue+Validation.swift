extension UserInfoValue {
    /// Checks that every device can represent this value.
    ///
    /// - Parameters:
    ///   - depth: the number of levels that may still be used, including this value.
    ///   - path: the path of the value, for messages.
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
                throw ModelError(
                    .invalidValue,
                    "\(path) is \(value), which fits a signed integer: send it as integer, not unsigned."
                )
            }
        case .string(let text), .url(let text):
            guard !text.holdsNUL else {
                throw ModelError(.invalidValue, "\(path) contains U+0000: send it as data.")
            }
            if case .url = self, !Self.hasScheme(text) {
                throw ModelError(.invalidValue, "\(path) is a URL without a scheme: send a relative one as a string.")
            }
        case .array(let elements):
            for element in elements { try element.validate(depth: depth - 1, path: path) }
        case .set(let elements):
            for element in elements { try element.validate(depth: depth - 1, path: path) }
        case .dictionary(let entries):
            try Self.validate(entries, depth: depth - 1, path: path + ".")
        }
    }

    /// Whether a URL begins with a scheme and a colon (RFC 3986, section 3.1).
    private static func hasScheme(_ url: String) -> Bool {
        guard let first = url.utf8.first, first.isASCIILetter, let colon = url.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return false }
        return url.utf8[..<colon].allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
    }

    /// Checks that a key is not longer than ``ActivityLimits/keyBytes``; before a dictionary compares it with others.
    ///
    /// - Throws: ``ModelError/Code/invalidValue``.
    package static func validateLength(ofKey key: String) throws(ModelError) {
        guard key.utf8.count <= ActivityLimits.keyBytes else {
            throw ModelError(
                .invalidValue,
                "A key of userInfo has at most \(ActivityLimits.keyBytes) bytes; this one has \(key.utf8.count)."
            )
        }
    }

    /// Checks the keys and values of a dictionary.
    ///
    /// - Parameters:
    ///   - depth: the number of levels that each value may use.
    ///   - path: the prefix of each key in messages.
    static func validate(_ entries: [String: UserInfoValue], depth: Int, path: String) throws(ModelError) {
        for (key, value) in entries {
            try validateLength(ofKey: key)
            guard !key.holdsNUL else {
                throw ModelError(.invalidValue, "The key \((path + key).debugDescription) contains U+0000: remove it.")
            }
            try value.validate(depth: depth, path: path + key)
        }
    }
}
