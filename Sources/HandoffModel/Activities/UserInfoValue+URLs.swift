extension UserInfoValue {
    /// The value with every URL in it, at any depth, put through `change`.
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

    /// The entries with every URL in their values, at any depth, put through `change`.
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
    /// The activity with every URL in its userInfo put through `change`.
    package func mappingURLs<Failure>(
        _ change: (String) throws(Failure) -> String
    ) throws(Failure) -> Activity {
        replacing(userInfo: try UserInfoValue.mapped(userInfo, change))
    }
}
