import FoundationEssentials
import HandoffModel

/// Converts userInfo between the model and its messages, in an order in which equal values have equal bytes.
enum UserInfoCoding {
    /// Whether `left` precedes `right` in the order of their UTF-8 bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Returns the entries of a dictionary, sorted by key.
    static func entries(_ dictionary: [String: UserInfoValue]) -> [Handoff_V1_Entry] {
        dictionary.sorted { precedes($0.key, $1.key) }.map { key, value in
            var entry = Handoff_V1_Entry()
            entry.key = key
            entry.value = Handoff_V1_Value(value)
            return entry
        }
    }

    /// Returns the elements of a set, sorted by their encoded bytes.
    static func elements(_ set: Set<UserInfoValue>) -> [Handoff_V1_Value] {
        set.map { element in
            let message = Handoff_V1_Value(element)
            return (bytes: MessageCoding.encode(message), message: message)
        }
        .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        .map(\.message)
    }

    /// Decodes the entries of a dictionary.
    ///
    /// - Throws: ``WireError/Code/invalidContent`` when two keys are equivalent, one is too long, or a value is missing.
    static func dictionary(_ entries: [Handoff_V1_Entry]) throws(WireError) -> [String: UserInfoValue] {
        var dictionary: [String: UserInfoValue] = [:]
        for entry in entries {
            try checkLength(ofKey: entry.key)
            guard entry.hasValue else {
                throw WireError(.invalidContent, "The key \(entry.key.debugDescription) has no value.")
            }
            guard dictionary.updateValue(try value(entry.value), forKey: entry.key) == nil else {
                throw WireError(.invalidContent, "Duplicate key \(entry.key.debugDescription).")
            }
        }
        return dictionary
    }

    /// Checks that a key is short enough to be compared with others.
    ///
    /// - Throws: ``WireError/Code/invalidContent``.
    static func checkLength(ofKey key: String) throws(WireError) {
        do {
            try UserInfoValue.validateLength(ofKey: key)
        } catch {
            throw WireError(error)
        }
    }

    /// Decodes a value.
    ///
    /// - Throws: ``WireError/Code/unknownKind`` for a kind that only a newer version knows, otherwise
    ///   ``WireError/Code/invalidContent``.
    static func value(_ message: Handoff_V1_Value) throws(WireError) -> UserInfoValue {
        switch message.kind {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .unsigned(value)
        case .real(let value): .real(value)
        case .string(let value): .string(value)
        case .data(let value): .data(Array(value))
        case .date(let value): .date(try timestamp(value))
        case .url(let value): .url(value)
        case .array(let list): .array(try values(list))
        case .dictionary(let value): .dictionary(try dictionary(value.entries))
        case .set(let list): .set(try set(list))
        case nil: throw WireError(.unknownKind, "Unknown kind of value in userInfo: it needs a newer version.")
        }
    }

    /// Decodes a timestamp.
    ///
    /// - Throws: ``WireError/Code/invalidContent`` outside the range of the model.
    static func timestamp(_ message: Handoff_V1_Timestamp) throws(WireError) -> Timestamp {
        do {
            return try Timestamp(seconds: message.seconds, nanoseconds: message.nanoseconds)
        } catch {
            throw WireError(error)
        }
    }

    private static func values(_ list: Handoff_V1_List) throws(WireError) -> [UserInfoValue] {
        var values: [UserInfoValue] = []
        values.reserveCapacity(list.values.count)
        for element in list.values { values.append(try value(element)) }
        return values
    }

    private static func set(_ list: Handoff_V1_List) throws(WireError) -> Set<UserInfoValue> {
        let values = try values(list)
        let set = Set(values)
        guard set.count == values.count else {
            throw WireError(.invalidContent, "A set contains a duplicate value.")
        }
        return set
    }
}

extension Handoff_V1_Value {
    /// Encodes a value.
    init(_ value: UserInfoValue) {
        self.init()
        switch value {
        case .null: null = Handoff_V1_Null()
        case .boolean(let value): boolean = value
        case .integer(let value): integer = value
        case .unsigned(let value): unsigned = value
        case .real(let value): real = value
        case .string(let value): string = value
        case .data(let value): data = Data(value)
        case .date(let value): date = Handoff_V1_Timestamp(value)
        case .url(let value): url = value
        case .array(let values): array.values = values.map { Handoff_V1_Value($0) }
        case .dictionary(let values): dictionary.entries = UserInfoCoding.entries(values)
        case .set(let values): set.values = UserInfoCoding.elements(values)
        }
    }
}

extension Handoff_V1_Timestamp {
    /// Encodes a timestamp.
    init(_ timestamp: Timestamp) {
        self.init()
        seconds = timestamp.seconds
        nanoseconds = timestamp.nanoseconds
    }
}
