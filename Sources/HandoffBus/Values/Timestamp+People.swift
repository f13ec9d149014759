private import Glibc
package import HandoffModel

extension Timestamp {
    /// The present time, to the millisecond.
    ///
    /// - Throws: `ModelError` for a clock that is set to a time after the year 9999.
    package static var now: Timestamp {
        get throws {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            let nanoseconds = UInt32(clamping: time.tv_nsec / 1_000_000 * 1_000_000)
            return try Timestamp(seconds: Int64(time.tv_sec), nanoseconds: nanoseconds)
        }
    }

    /// Creates a time from the form on the bus, microseconds since 1970; nil for 0, which stands for never, and for a
    /// time after the year 9999.
    package init?(microseconds: UInt64) {
        guard microseconds > 0 else { return nil }
        let nanoseconds = UInt32(microseconds % 1_000_000) * 1000
        guard let time = try? Timestamp(seconds: Int64(microseconds / 1_000_000), nanoseconds: nanoseconds) else {
            return nil
        }
        self = time
    }

    /// The time of day on this computer, as in `09:30:42.250`.
    package var localClock: String {
        local("%H:%M:%S") + "." + String(1000 + nanoseconds / 1_000_000).dropFirst()
    }

    /// The local time for people, as in `15:30`, with the date unless it is within half a day of `now`.
    package func localMinute(at now: Timestamp) -> String {
        local(abs(seconds - now.seconds) < Self.day / 2 ? "%H:%M" : "%F %H:%M")
    }

    /// How long ago the time is, for people: `3 minutes ago`, or the local date when it is more than a week ago.
    ///
    /// A time on the full hour is taken for one that is known to the hour only, as those are that the daemon has kept.
    package func ago(at now: Timestamp) -> String {
        let elapsed = now.seconds - seconds
        if nanoseconds == 0, seconds.isMultiple(of: Self.hour), elapsed > 0 {
            if elapsed < 2 * Self.hour { return "within 2 hours" }
            return (elapsed < Self.week ? "about " : "") + Self.text(elapsed, or: local("%F"))
        }
        return elapsed < Self.minute ? "just now" : Self.text(elapsed, or: local("%F"))
    }

    private static let minute: Int64 = 60
    private static let hour: Int64 = 60 * minute
    private static let day: Int64 = 24 * hour
    private static let week: Int64 = 7 * day

    private static func text(_ elapsed: Int64, or date: String) -> String {
        switch elapsed {
        case ..<hour: "\(counted(elapsed / minute, "minute")) ago"
        case ..<day: "\(counted(elapsed / hour, "hour")) ago"
        case ..<week: "\(counted(elapsed / day, "day")) ago"
        default: date
        }
    }

    private static func counted(_ number: Int64, _ unit: String) -> String {
        "\(number) \(unit)\(number == 1 ? "" : "s")"
    }

    /// The local time in a format of strftime(3).
    private func local(_ format: String) -> String {
        var time = time_t(seconds)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return description }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
