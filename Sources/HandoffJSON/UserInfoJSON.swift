import FoundationEssentials
package import HandoffModel

/// A value of userInfo as JSON, with a distinct form for each kind of value.
///
/// Kinds that JSON has represent themselves: strings, booleans, null, arrays, and objects for dictionaries; a number
/// without a fractional part is an integer, any other a real. Other kinds are objects with a single key that begins
/// with `$`: `{"$data": BASE64}`, `{"$date": "2026-11-21T12:00:00.5Z"}`, `{"$url": TEXT}`, `{"$set": [ … ]}`, and
/// `{"$real": NUMBER}` for a real without a fractional part, `"NaN"`, `"Infinity"` and `"-Infinity"` among them. A
/// dictionary that has the form of one of these is wrapped: `{"$dictionary": { … }}`.
package struct UserInfoJSON: Codable, Hashable, Sendable {
    package let value: UserInfoValue

    package init(_ value: UserInfoValue) {
        self.value = value
    }

    package init(from decoder: any Decoder) throws {
        value = try Self.scalar(from: decoder) ?? Self.container(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        switch value {
        case .null: try Self.encode(nil as String?, to: encoder)
        case .boolean(let boolean): try Self.encode(boolean, to: encoder)
        case .integer(let integer): try Self.encode(integer, to: encoder)
        case .unsigned(let integer): try Self.encode(integer, to: encoder)
        case .real(let real): try Self.encode(real: real, to: encoder)
        case .string(let string): try Self.encode(string, to: encoder)
        case .data(let bytes): try Self.encode(["$data": Data(bytes).base64EncodedString()], to: encoder)
        case .date(let date): try Self.encode(["$date": date.description], to: encoder)
        case .url(let url): try Self.encode(["$url": url], to: encoder)
        case .array(let items): try Self.encode(items.map(UserInfoJSON.init), to: encoder)
        // In a fixed order, so that equal sets have equal encodings.
        case .set(let items):
            let elements = items.map { (Self.order(of: $0), UserInfoJSON($0)) }
            try Self.encode(["$set": elements.sorted { $0.0 < $1.0 }.map(\.1)], to: encoder)
        case .dictionary(let entries): try Self.encode(dictionary: entries, to: encoder)
        }
    }

    private static func encode(_ value: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    private static func order(of value: UserInfoValue) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(UserInfoJSON(value))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func encode(real: Double, to encoder: any Encoder) throws {
        if real.isNaN || real.isInfinite {
            let name = real.isNaN ? "NaN" : real < 0 ? "-Infinity" : "Infinity"
            try encode(["$real": name], to: encoder)
        } else if real == real.rounded() {
            try encode(["$real": real], to: encoder)
        } else {
            try encode(real, to: encoder)
        }
    }

    private static func encode(dictionary: [String: UserInfoValue], to encoder: any Encoder) throws {
        let entries = dictionary.mapValues(UserInfoJSON.init)
        if dictionary.count == 1, dictionary.keys.first?.hasPrefix("$") == true {
            try encode(["$dictionary": entries], to: encoder)
        } else {
            try encode(entries, to: encoder)
        }
    }

    private static func scalar(from decoder: any Decoder) throws -> UserInfoValue? {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() { return .null }
        if let boolean = try? container.decode(Bool.self) { return .boolean(boolean) }
        if let integer = try? container.decode(Int64.self) { return .integer(integer) }
        if let integer = try? container.decode(UInt64.self) { return .number(integer) }
        if let real = try? container.decode(Double.self) { return .real(try withFraction(real, in: container)) }
        if let string = try? container.decode(String.self) { return .string(string) }
        return nil
    }

    /// Refuses a whole number that fits no integer type, which would lose digits as a real; `$real` allows it
    /// explicitly.
    private static func withFraction(_ real: Double, in container: any SingleValueDecodingContainer) throws -> Double {
        guard real == real.rounded() else { return real }
        throw DecodingError.dataCorruptedError(
            in: container,
            debugDescription: "a whole number that does not fit into 64 bits; write {\"$real\": …} for a real"
        )
    }

    private static func container(from decoder: any Decoder) throws -> UserInfoValue {
        let container = try decoder.singleValueContainer()
        if let items = try? decoder.unkeyedContainer(), items.count != nil {
            return .array(try container.decode([UserInfoJSON].self).map(\.value))
        }
        let keys = try decoder.container(keyedBy: AnyKey.self)
        if keys.allKeys.count == 1, let key = keys.allKeys.first, key.stringValue.hasPrefix("$") {
            return try tagged(key, in: keys)
        }
        return .dictionary(try container.decode([String: UserInfoJSON].self).mapValues(\.value))
    }

    private static func tagged(_ key: AnyKey, in container: KeyedDecodingContainer<AnyKey>) throws -> UserInfoValue {
        switch key.stringValue {
        case "$data":
            guard let data = Data(base64Encoded: try container.decode(String.self, forKey: key)) else {
                throw invalid(key, container, "is not base64")
            }
            return .data(Array(data))
        case "$date":
            do {
                return .date(try Timestamp(try container.decode(String.self, forKey: key)))
            } catch let error as ModelError {
                throw invalid(key, container, error.message)
            }
        case "$url": return .url(try container.decode(String.self, forKey: key))
        case "$set": return .set(Set(try container.decode([UserInfoJSON].self, forKey: key).map(\.value)))
        case "$real": return .real(try real(key, in: container))
        case "$dictionary":
            return .dictionary(try container.decode([String: UserInfoJSON].self, forKey: key).mapValues(\.value))
        default:
            throw invalid(key, container, "is not a known kind; wrap a dictionary with such a key in $dictionary")
        }
    }

    private static func real(_ key: AnyKey, in container: KeyedDecodingContainer<AnyKey>) throws -> Double {
        if let real = try? container.decode(Double.self, forKey: key) { return real }
        switch try container.decode(String.self, forKey: key) {
        case "NaN": return .nan
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        default: throw invalid(key, container, "is not a number, \"NaN\", \"Infinity\" or \"-Infinity\"")
        }
    }

    private static func invalid(
        _ key: AnyKey,
        _ container: KeyedDecodingContainer<AnyKey>,
        _ reason: String
    ) -> DecodingError {
        .dataCorruptedError(forKey: key, in: container, debugDescription: "\(key.stringValue) \(reason)")
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            return nil
        }
    }
}
