import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Dates", .endsWithin(minutes: 10))
struct TimestampTests {
    @Test(
        "A date is converted to text and back exactly",
        arguments: [
            (0, 0, "1970-01-01T00:00:00Z"),
            (1_795_232_280, 123_456_789, "2026-11-21T03:38:00.123456789Z"),
            (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
            (951_782_400, 0, "2000-02-29T00:00:00Z"),
            (-2_203_891_201, 500_000_000, "1900-02-28T23:59:59.500Z"),
            (-2_203_891_200, 0, "1900-03-01T00:00:00Z"),
            (1, 1000, "1970-01-01T00:00:01.000001Z"),
            (-62_167_219_200, 0, "0000-01-01T00:00:00Z"),
            (-62_167_219_201, 0, "-0001-12-31T23:59:59Z"),
            (Timestamp.earliestSeconds, 0, "-9999-01-01T00:00:00Z"),
            (Timestamp.latestSeconds, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
        ] as [(Int64, UInt32, String)]
    )
    func text(seconds: Int64, nanoseconds: UInt32, text: String) throws {
        let moment = try Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        #expect(moment.description == text)
        #expect(try Timestamp(text) == moment)
    }

    @Test(
        "Other notations of RFC 3339 are accepted",
        arguments: [
            ("2026-11-21t03:38:00z", "2026-11-21T03:38:00Z"),
            ("2026-11-21T03:38:00+00:00", "2026-11-21T03:38:00Z"),
            ("2026-11-21T03:38:00.5+05:30", "2026-11-20T22:08:00.500Z"),
            ("2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00Z"),
            ("2026-11-21T03:38:00.1000Z", "2026-11-21T03:38:00.100Z"),
        ]
    )
    func otherSpellings(text: String, canonical: String) throws {
        #expect(try Timestamp(text).description == canonical)
    }

    @Test(
        "Text that is not a date is refused",
        arguments: [
            "", "2026-11-21", "2026-11-21T03:38:00", "2026-11-21 03:38:00Z", "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T03:60:00Z",
            "2016-12-31T23:59:60Z", "2026-11-21T03:38:00.Z", "2026-11-21T03:38:00.1234567890Z", "2026-11-21T03:38:00ZZ",
            "26-11-21T03:38:00Z", "+2026-11-21T03:38:00Z", "10000-01-01T00:00:00Z", "2026-00-10T00:00:00Z",
            "2026-01-00T00:00:00Z", "9999-12-31T23:59:59-00:01", "-9999-01-01T00:00:00+00:01", "２026-11-21T03:38:00Z",
        ]
    )
    func isRefused(text: String) {
        let error = #expect(throws: ModelError.self) { try Timestamp(text) }
        #expect(error?.code == .invalidDate)
    }

    @Test(
        "Seconds and nanoseconds out of range are refused",
        arguments: [
            (0, 1_000_000_000), (0, .max), (Timestamp.earliestSeconds - 1, 0), (Timestamp.latestSeconds + 1, 0),
            (.min, 0), (.max, 0),
        ] as [(Int64, UInt32)]
    )
    func isOutOfRange(seconds: Int64, nanoseconds: UInt32) {
        let error = #expect(throws: ModelError.self) { try Timestamp(seconds: seconds, nanoseconds: nanoseconds) }
        #expect(error?.code == .invalidDate)
    }

    @Test("Any date is the same after conversion to text and back")
    func anyMomentSurvives() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<2000 {
            let moment = try Timestamp(
                seconds: .random(in: Timestamp.earliestSeconds...Timestamp.latestSeconds, using: &random),
                nanoseconds: .random(in: 0..<1_000_000_000, using: &random)
            )
            #expect(try Timestamp(moment.description) == moment)
        }
    }

    @Test("The text of each day follows that of the day before through 400 years")
    func daysFollow() throws {
        var previous = ""
        for day in Int64(0)..<146_097 {
            let text = String(try Timestamp(seconds: day * 86_400).description.prefix(10))
            #expect(previous < text)
            previous = text
        }
        #expect(previous == "2369-12-31")
    }
}
