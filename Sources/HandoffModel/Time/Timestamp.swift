/// A time exact to the nanosecond: seconds since 1970-01-01T00:00:00Z without leap seconds, and nanoseconds.
///
/// The range is from the beginning of the year -9999 to the end of 9999 in the proleptic Gregorian calendar.
package struct Timestamp: Hashable, Sendable, Comparable {
    /// Whole seconds since the beginning of 1970 in UTC, rounded towards the past.
    package let seconds: Int64

    /// Nanoseconds after ``seconds``, 0…999 999 999.
    package let nanoseconds: UInt32

    /// -9999-01-01T00:00:00Z.
    package static let earliestSeconds: Int64 = -377_705_116_800

    /// 9999-12-31T23:59:59Z.
    package static let latestSeconds: Int64 = 253_402_300_799

    /// Makes a timestamp within the years -9999…9999.
    ///
    /// - Throws: ``ModelError/Code/invalidDate`` outside that range or with 1 000 000 000 nanoseconds or more.
    package init(seconds: Int64, nanoseconds: UInt32 = 0) throws(ModelError) {
        guard nanoseconds < 1_000_000_000 else {
            throw ModelError(.invalidDate, "A date has 0 to 999999999 nanoseconds, got \(nanoseconds).")
        }
        guard (Self.earliestSeconds...Self.latestSeconds).contains(seconds) else {
            throw ModelError(
                .invalidDate,
                "A date must be in the years -9999 to 9999: \(seconds) s from 1970 is out of range."
            )
        }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
