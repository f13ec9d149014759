/// One value of userInfo; every kind is distinct and is transmitted exactly.
///
/// Equality is exact, not numeric: integer 1, real 1 and boolean true are three values; reals are compared by bit
/// pattern, so that NaN equals itself and 0 differs from -0; strings, and the keys of dictionaries, are compared byte by byte.
package indirect enum UserInfoValue: Sendable {
    /// The null value.
    case null
    /// A Boolean value.
    case boolean(Bool)
    /// A signed 64-bit integer.
    case integer(Int64)
    /// An integer above `Int64.max`; make it with ``number(_:)``, which chooses the kind.
    case unsigned(UInt64)
    /// A floating-point number; every bit pattern is preserved.
    case real(Double)
    /// A string without U+0000.
    case string(String)
    /// Bytes.
    case data([UInt8])
    /// A timestamp, exact to the nanosecond.
    case date(Timestamp)
    /// A URL of any scheme, without U+0000.
    case url(String)
    /// Values in order.
    case array([UserInfoValue])
    /// Values by key.
    case dictionary([String: UserInfoValue])
    /// Values without order or duplicates.
    case set(Set<UserInfoValue>)

    /// Returns an integer as ``integer(_:)`` if it fits, otherwise as ``unsigned(_:)``.
    package static func number(_ value: UInt64) -> UserInfoValue {
        Int64(exactly: value).map(UserInfoValue.integer) ?? .unsigned(value)
    }

    /// How many values of D-Bus it takes, as a variant, with all that it contains (Docs/dbus/README.md, "userInfo"); at least
    /// as many as a reader counts.
    package var busValueCount: Int {
        switch self {
        case .boolean, .integer, .unsigned, .real, .string, .data: 2
        case .null, .url: 5
        case .date: 7
        case .array(let values): values.reduce(2) { $0 + $1.busValueCount }
        case .set(let values): values.reduce(6) { $0 + $1.busValueCount }
        case .dictionary(let entries): entries.values.reduce(2) { $0 + 2 + $1.busValueCount }
        }
    }
}

extension UserInfoValue: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.url(let left), .url(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): haveEqualEntries(left, right)
        case (.set(let left), .set(let right)): left == right
        default: false
        }
    }

    /// Whether two dictionaries are the same, their keys compared byte by byte: a dictionary of Swift regards two Unicode
    /// spellings of one key as equal.
    package static func haveEqualEntries(
        _ left: [String: UserInfoValue],
        _ right: [String: UserInfoValue]
    ) -> Bool {
        left.count == right.count
            && left.allSatisfy { key, value in
                guard let index = right.index(forKey: key) else { return false }
                return right[index].key.utf8.elementsEqual(key.utf8) && right[index].value == value
            }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .null: break
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.bitPattern)
        case .string(let value), .url(let value): hasher.combineExactly(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        case .set(let value): hasher.combine(value)
        }
    }
}

extension UserInfoValue {
    /// The kinds of values, with their names for users.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case null, boolean, integer, unsigned, real, string, data, date, url, array, dictionary, set
    }

    /// The kind of this value.
    package var kind: Kind {
        switch self {
        case .null: .null
        case .boolean: .boolean
        case .integer: .integer
        case .unsigned: .unsigned
        case .real: .real
        case .string: .string
        case .data: .data
        case .date: .date
        case .url: .url
        case .array: .array
        case .dictionary: .dictionary
        case .set: .set
        }
    }
}
