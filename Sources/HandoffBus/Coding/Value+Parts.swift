import DBus
import HandoffModel

/// Parses the parts of an activity; each method throws an `InvalidArgument` that names the part and its type.
extension Value {
    /// Returns a string; nil for an empty one.
    func string(for key: ActivityDraft.Key) throws(DBusError) -> String? {
        guard let string else { throw wrongType(key, "a string") }
        return string.isEmpty ? nil : string
    }

    /// Returns the strings of a list, without duplicates.
    func strings(for key: ActivityDraft.Key) throws(DBusError) -> Set<String> {
        guard let elements = array, bytes == nil || elements.isEmpty else { throw wrongType(key, "a list of strings") }
        let strings = elements.compactMap(\.unwrapped.string)
        guard strings.count == elements.count else { throw wrongType(key, "a list of strings") }
        try mappingModelError { () throws(ModelError) in
            for string in strings { try UserInfoValue.validateLength(ofKey: string) }
        }
        return Set(strings)
    }

    /// Returns the URL of a web page; nil for an empty string.
    func webpageURL(for key: ActivityDraft.Key) throws(DBusError) -> WebpageURL? {
        guard let text = try string(for: key) else { return nil }
        return try mappingModelError { () throws(ModelError) in try WebpageURL(text) }
    }

    /// Returns the URL of a file on this device; nil for an empty string.
    func fileURL(for key: ActivityDraft.Key) throws(DBusError) -> FileURL? {
        guard let text = try string(for: key) else { return nil }
        return try mappingModelError { () throws(ModelError) in
            guard let url = try FileURL(text) else {
                throw ModelError(.invalidFileURL, "\(text.debugDescription) is not a file: URL of this device.")
            }
            return url
        }
    }

    /// Returns a boolean.
    func boolean(for key: ActivityDraft.Key) throws(DBusError) -> Bool {
        guard let boolean else { throw wrongType(key, "a boolean") }
        return boolean
    }

    /// Returns an object path; nil for `/`.
    func object(for key: ActivityDraft.Key) throws(DBusError) -> ObjectPath? {
        guard let objectPath else { throw wrongType(key, "an object path") }
        return objectPath == .root ? nil : objectPath
    }

    /// Returns a date given in microseconds since 1970, in any integer type; nil for 0.
    func date(for key: ActivityDraft.Key) throws(DBusError) -> Timestamp? {
        guard let microseconds = wholeNumber else {
            throw wrongType(key, "a whole number of microseconds since 1970, or 0 for never")
        }
        guard microseconds != 0 else { return nil }
        guard
            let date = try? Timestamp(
                seconds: Int64(microseconds / 1_000_000),
                nanoseconds: UInt32(microseconds % 1_000_000) * 1000
            )
        else {
            throw HandoffErrorName.invalidArgument.reply(
                "\(key.rawValue) is after the year 9999: it counts microseconds since 1970, and 0 means never."
            )
        }
        return date
    }

    /// The value as a non-negative integer, from any integer type; nil for anything else.
    private var wholeNumber: UInt64? {
        switch self {
        case .byte(let number): UInt64(number)
        case .int16(let number): UInt64(exactly: number)
        case .uint16(let number): UInt64(number)
        case .int32(let number): UInt64(exactly: number)
        case .uint32(let number): UInt64(number)
        case .int64(let number): UInt64(exactly: number)
        case .uint64(let number): number
        default: nil
        }
    }

    private func wrongType(_ key: ActivityDraft.Key, _ wanted: String) -> DBusError {
        HandoffErrorName.invalidArgument.reply("\(key.rawValue) is \(wanted), not a value of type \(type).")
    }
}

extension Timestamp {
    /// Microseconds since 1970 as in a property; 1 for earlier dates, which have long passed.
    var unsignedMicroseconds: UInt64 {
        guard seconds >= 0 else { return 1 }
        return max(1, UInt64(seconds) * 1_000_000 + UInt64(nanoseconds / 1000))
    }
}
