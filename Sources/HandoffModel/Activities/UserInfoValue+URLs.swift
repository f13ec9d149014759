extension UserInfoValue {
    /// Returns the value with `change` applied to every URL in it, at any depth.
    package func mappingURLs<Failure>(
        _ change: (String) throws(Failure) -> String
    ) throws(Failure) -> UserInfoValue {
        switch self {
        case .url(let url): return .url(try change(url))
        case .array(let elements): return .array(try Self.mapped(elements, change))
        case .set(let elements): return .set(Set(try Self.mapped(Array(elements), change)))
        case .dictionary(let entries): return .dictionary(try Self.mapped(entries, change))
        default: return self
        }
    }

    /// Returns the entries with `change` applied to every URL in their values, at any depth.
    package static func mapped<Failure>(
        _ entries: [String: UserInfoValue],
        _ change: (String) throws(Failure) -> String
    ) throws(Failure) -> [String: UserInfoValue] {
        var mapped = entries
        for (key, value) in entries where value.mayHoldURLs { mapped[key] = try value.mappingURLs(change) }
        return mapped
    }

    private static func mapped<Failure>(
        _ elements: [UserInfoValue],
        _ change: (String) throws(Failure) -> String
    ) throws(Failure) -> [UserInfoValue] {
        var mapped: [UserInfoValue] = []
        for element in elements { mapped.append(try element.mappingURLs(change)) }
        return mapped
    }

    private var mayHoldURLs: Bool {
        switch self {
        case .url, .array, .set, .dictionary: true
        default: false
        }
    }
}

extension Activity {
    /// Returns the activity with `change` applied to every URL in its userInfo.
    package func mappingURLs<Failure>(
        _ change: (String) throws(Failure) -> String
    ) throws(Failure) -> Activity {
        replacing(userInfo: try UserInfoValue.mapped(userInfo, change))
    }
}
