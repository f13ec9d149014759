extension Timestamp: CustomStringConvertible {
    /// The timestamp in UTC, in the format of RFC 3339: `2026-11-21T03:38:00.123456789Z`.
    ///
    /// The fraction has 0, 3, 6 or 9 digits, the fewest that are exact. Years before 0 have a minus sign, as in ISO
    /// 8601.
    package var description: String {
        let days = seconds.flooredQuotient(by: 86_400)
        let secondOfDay = seconds - days * 86_400
        let date = GregorianDay(daysSince1970: days)
        let year = (date.year < 0 ? "-" : "") + Self.padded(date.year.magnitude, to: 4)
        let day = "\(year)-\(Self.padded(date.month, to: 2))-\(Self.padded(date.day, to: 2))"
        let clock = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60]
        return "\(day)T\(clock.map { Self.padded($0, to: 2) }.joined(separator: ":"))\(fractionText)Z"
    }

    /// Parses a timestamp in the format of RFC 3339 section 5.6; a negative year has a minus sign.
    ///
    /// The fraction has 1…9 digits; the offset is `Z` or `±hh:mm`. Leap seconds (`:60`) are refused, because a count of
    /// seconds since 1970 cannot represent them.
    ///
    /// - Throws: ``ModelError/Code/invalidDate`` for any other form, a day that does not exist, or a timestamp out
    ///   of range.
    package init(_ text: String) throws(ModelError) {
        var reader = TimestampReader(text)
        guard let seconds = reader.readSeconds(), let fraction = reader.readFraction(),
            let offset = reader.readOffset(), reader.isAtEnd
        else {
            throw ModelError(
                .invalidDate,
                "\(text.debugDescription) is not a date: write it like 2026-11-21T03:38:00.123456789Z."
            )
        }
        try self.init(seconds: seconds - offset, nanoseconds: fraction)
    }

    private var fractionText: String {
        guard nanoseconds != 0 else { return "" }
        if nanoseconds.isMultiple(of: 1_000_000) { return "." + Self.padded(nanoseconds / 1_000_000, to: 3) }
        if nanoseconds.isMultiple(of: 1000) { return "." + Self.padded(nanoseconds / 1000, to: 6) }
        return "." + Self.padded(nanoseconds, to: 9)
    }

    private static func padded(_ number: some BinaryInteger, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// Parses the parts of an RFC 3339 date from left to right.
private struct TimestampReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Parses date and time without fraction and offset, as seconds since 1970.
    mutating func readSeconds() -> Int64? {
        let sign: Int64 = take(UInt8(ascii: "-")) ? -1 : 1
        guard let year = readNumber(digits: 4), take(UInt8(ascii: "-")),
            let month = readNumber(digits: 2), take(UInt8(ascii: "-")),
            let day = readNumber(digits: 2), take(UInt8(ascii: "T")) || take(UInt8(ascii: "t")),
            let hour = readNumber(digits: 2), hour < 24, take(UInt8(ascii: ":")),
            let minute = readNumber(digits: 2), minute < 60, take(UInt8(ascii: ":")),
            let second = readNumber(digits: 2), second < 60,
            let date = GregorianDay(year: sign * year, month: month, day: day)
        else { return nil }
        return date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Parses the fraction, in nanoseconds; 0 without a fraction.
    mutating func readFraction() -> UInt32? {
        guard take(UInt8(ascii: ".")) else { return 0 }
        let digits = rest.prefix { $0.isASCIIDigit }
        guard (1...9).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        let value = digits.reduce(UInt32(0)) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) }
        return (digits.count..<9).reduce(value) { value, _ in value * 10 }
    }

    /// Parses the offset from UTC, in seconds, positive to the east.
    mutating func readOffset() -> Int64? {
        if take(UInt8(ascii: "Z")) || take(UInt8(ascii: "z")) { return 0 }
        let isEast = take(UInt8(ascii: "+"))
        guard isEast || take(UInt8(ascii: "-")),
            let hour = readNumber(digits: 2), hour < 24, take(UInt8(ascii: ":")),
            let minute = readNumber(digits: 2), minute < 60
        else { return nil }
        return (isEast ? 1 : -1) * (hour * 3600 + minute * 60)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func readNumber(digits count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
}
