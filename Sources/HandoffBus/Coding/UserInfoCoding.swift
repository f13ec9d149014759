package import DBus
package import HandoffModel

/// The encoding of a userInfo dictionary on the bus: `a{sv}`, with the kinds that D-Bus lacks as structures of a tag
/// and a content.
///
/// | kind       | on the bus                                    | also accepted                          |
/// |------------|-----------------------------------------------|----------------------------------------|
/// | null       | `("null", "")`, `(sv)`                        | any content                            |
/// | boolean    | `b`                                           |                                        |
/// | integer    | `x`; above its range `t`                      | `y n q i u t`                          |
/// | real       | `d`                                           |                                        |
/// | string     | `s`                                           |                                        |
/// | data       | `ay`                                          |                                        |
/// | date       | `("date", (seconds, nanoseconds))`, `(sv)`    | integers of any width; `(s(xu))`       |
/// | URL        | `("url", text)`, `(sv)`                       | `(ss)`                                 |
/// | array      | `av`                                          | an array of any kind above             |
/// | dictionary | `a{sv}`                                       | `a{s…}` of any kind above              |
/// | set        | `("set", elements)`, `(sav)`                  | an array of any kind above; `(sv)`     |
///
/// The elements of a set are not wrapped in a variant: with it, as many nested sets as `ActivityLimits.nestingDepth`
/// allows would be more containers than the 64 that a message may have (D-Bus specification, "Valid Signatures").
package enum UserInfoCoding {
    /// Returns the dictionary as a value of type `a{sv}`.
    package static func value(of userInfo: [String: UserInfoValue]) -> Value {
        .dictionary(
            key: .string,
            value: .variant,
            userInfo.sorted { $0.key < $1.key }.map {
                DictionaryEntry(key: .string($0.key), value: .variant(value(of: $0.value)))
            }
        )
    }

    /// Parses a value of type `a{sv}`.
    ///
    /// - Throws: ``DBusError`` named `InvalidUserInfo`, whose message names the invalid key.
    package static func userInfo(from value: Value) throws(DBusError) -> [String: UserInfoValue] {
        guard case .dictionary(let entries) = try decode(value, at: "userInfo", depth: 0) else {
            throw HandoffErrorName.invalidUserInfo.reply("userInfo is a dictionary with string keys (a{sv}).")
        }
        return entries
    }

    /// Converts any value for display; where userInfo cannot represent it, structures become arrays, and other values
    /// their text.
    package static func displayValue(_ value: Value) -> UserInfoValue {
        if let value = try? decode(value, at: "value", depth: 0) { return value }
        switch value {
        case .variant(let inner): return displayValue(inner)
        case .array(_, let items), .structure(let items): return .array(items.map(displayValue))
        case .dictionary(_, _, let entries):
            let pairs = entries.map { ($0.key.string ?? "\($0.key)", displayValue($0.value)) }
            return .dictionary(Dictionary(pairs) { _, last in last })
        case .objectPath(let path): return .string(path.description)
        case .signature(let signature): return .string(signature.description)
        default: return .string("\(value)")
        }
    }

    private static func value(of item: UserInfoValue) -> Value {
        switch item {
        case .null: tagged("null", .string(""))
        case .boolean(let boolean): .boolean(boolean)
        case .integer(let integer): .int64(integer)
        case .unsigned(let unsigned): .uint64(unsigned)
        case .real(let real): .double(real)
        case .string(let string): .string(string)
        case .data(let data): .bytes(data)
        case .date(let date): tagged("date", .structure([.int64(date.seconds), .uint32(date.nanoseconds)]))
        case .url(let url): tagged("url", .string(url))
        case .array(let items): variants(items)
        case .dictionary(let entries): value(of: entries)
        case .set(let items): .structure([.string("set"), .array(of: .variant, sorted(items))])
        }
    }

    /// Returns the elements of a set in a fixed order, so that equal sets have equal encodings.
    private static func sorted(_ items: Set<UserInfoValue>) -> [Value] {
        items.map { item in
            let value = value(of: item)
            // The encoded value has a fixed order down to the last element, unlike the set or dictionary that it may
            // represent.
            return (order: "\(value)", value: value)
        }
        .sorted { $0.order.utf8.lexicographicallyPrecedes($1.order.utf8) }
        .map { .variant($0.value) }
    }

    private static func tagged(_ tag: String, _ content: Value) -> Value {
        .structure([.string(tag), .variant(content)])
    }

    private static func variants(_ items: [UserInfoValue]) -> Value {
        .array(of: .variant, items.map { .variant(value(of: $0)) })
    }

    private static func decode(_ value: Value, at path: String, depth: Int) throws(DBusError) -> UserInfoValue {
        guard depth <= ActivityLimits.nestingDepth else {
            throw refusal(path, "is nested more than \(ActivityLimits.nestingDepth) deep")
        }
        switch value {
        case .variant(let inner): return try decode(inner, at: path, depth: depth)
        case .boolean(let boolean): return .boolean(boolean)
        case .byte(let number): return .integer(Int64(number))
        case .int16(let number): return .integer(Int64(number))
        case .uint16(let number): return .integer(Int64(number))
        case .int32(let number): return .integer(Int64(number))
        case .uint32(let number): return .integer(Int64(number))
        case .int64(let number): return .integer(number)
        case .uint64(let number): return .number(number)
        case .double(let number): return .real(number)
        case .string(let string): return .string(string)
        case .bytes(let bytes): return .data(bytes)
        case .array(_, let items): return .array(try decode(items, at: path, depth: depth))
        case .dictionary(_, _, let entries): return .dictionary(try decode(entries, at: path, depth: depth))
        case .structure(let fields): return try decode(fields: fields, at: path, depth: depth)
        case .unixFD: throw refusal(path, "is a file descriptor, which cannot leave this computer")
        case .objectPath, .signature: throw refusal(path, "has a D-Bus type with no meaning elsewhere; use a string")
        }
    }

    private static func decode(_ items: [Value], at path: String, depth: Int) throws(DBusError) -> [UserInfoValue] {
        var decoded: [UserInfoValue] = []
        decoded.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            decoded.append(try decode(item, at: "\(path)[\(index)]", depth: depth + 1))
        }
        return decoded
    }

    private static func decode(
        _ entries: [DictionaryEntry],
        at path: String,
        depth: Int
    ) throws(DBusError) -> [String: UserInfoValue] {
        var decoded: [String: UserInfoValue] = [:]
        for entry in entries {
            guard case .string(let key) = entry.key else {
                throw refusal(path, "has keys of type \(entry.key.type); only strings can be keys")
            }
            guard key.utf8.count <= ActivityLimits.keyBytes else {
                throw refusal(path, "has a key of \(key.utf8.count) bytes; \(ActivityLimits.keyBytes) are allowed")
            }
            let path = "\(path)[\"\(key)\"]"
            // Keys are equal if they are canonically equivalent in Unicode, whatever their bytes.
            guard decoded.updateValue(try decode(entry.value, at: path, depth: depth + 1), forKey: key) == nil else {
                throw refusal(path, "is a duplicate key")
            }
        }
        return decoded
    }

    private static func decode(fields: [Value], at path: String, depth: Int) throws(DBusError) -> UserInfoValue {
        guard fields.count == 2, case .string(let tag) = fields[0] else {
            throw refusal(path, "is a structure; only (tag, value) with the tag null, date, url or set can be carried")
        }
        let content = fields[1].unwrapped
        switch (tag, content) {
        case ("null", _):
            return .null
        case ("url", .string(let url)):
            return .url(url)
        case ("date", .structure(let parts)):
            return .date(try date(parts, at: path))
        case ("set", .array(_, let items)):
            return .set(Set(try decode(items, at: path, depth: depth)))
        case ("set", .bytes(let bytes)):
            return .set(Set(bytes.map { .integer(Int64($0)) }))
        default:
            throw refusal(
                path,
                "has the tag \"\(tag)\" with a value of type \(content.type), which is not supported"
            )
        }
    }

    private static func date(_ parts: [Value], at path: String) throws(DBusError) -> Timestamp {
        guard parts.count == 2, case .integer(let seconds) = try decode(parts[0], at: path, depth: 0),
            case .integer(let integer) = try decode(parts[1], at: path, depth: 0),
            let nanoseconds = UInt32(exactly: integer)
        else {
            throw refusal(path, "is a date that is not (seconds x, nanoseconds u)")
        }
        do {
            return try Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        } catch {
            throw HandoffErrorName.invalidUserInfo.reply("\(path) is not a date: \(error.message)")
        }
    }

    private static func refusal(_ path: String, _ reason: String) -> DBusError {
        HandoffErrorName.invalidUserInfo.reply("\(path) \(reason).")
    }
}
