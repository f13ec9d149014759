/// A day of the proleptic Gregorian calendar; year 0 is the year before year 1.
struct GregorianDay: Hashable, Sendable {
    let year: Int64
    let month: Int64
    let day: Int64

    /// Makes a day; nil for one that does not exist.
    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), (1...Self.length(ofMonth: month, in: year)).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Makes the day `daysSince1970` days after 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is the last of its year, and 400 years are one period of
    /// 146 097 days.
    init(daysSince1970: Int64) {
        let daysSinceMarch0 = daysSince1970 + 719_468
        let period = daysSinceMarch0.flooredQuotient(by: 146_097)
        let dayOfPeriod = daysSinceMarch0 - period * 146_097
        let yearOfPeriod = (dayOfPeriod - dayOfPeriod / 1460 + dayOfPeriod / 36_524 - dayOfPeriod / 146_096) / 365
        let dayOfYear = dayOfPeriod - (365 * yearOfPeriod + yearOfPeriod / 4 - yearOfPeriod / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = yearOfPeriod + period * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days from 1970-01-01 to this day; negative for earlier days.
    var daysSince1970: Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let period = marchYear.flooredQuotient(by: 400)
        let yearOfPeriod = marchYear - period * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfPeriod = yearOfPeriod * 365 + yearOfPeriod / 4 - yearOfPeriod / 100 + dayOfYear
        return period * 146_097 + dayOfPeriod - 719_468
    }

    private static func length(ofMonth month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }
}

extension Int64 {
    /// The quotient rounded towards negative infinity; `divisor` is positive.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
