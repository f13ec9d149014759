import HandoffModel
import TestLimits
import Testing

@Suite("Values of userInfo", .endsWithin(minutes: 10))
struct UserInfoValueTests {
    @Test("Values of different kinds that look alike are different")
    func lookAlikes() {
        let values: [UserInfoValue] = [
            .integer(1), .real(1), .boolean(true), .string("1"), .data([1]), .url("1"), .array([.integer(1)]),
            .set([.integer(1)]), .null, .integer(0), .real(0), .real(-0.0), .boolean(false),
        ]
        #expect(Set(values).count == values.count)
    }

    @Test("A URL has a scheme, whichever it is")
    func schemes() throws {
        for url in ["x:", "A+b-c.1:rest", "mailto:ann@example.org", "https://example.org/a:b"] {
            #expect(throws: Never.self) { try Activity(type: .browsingWeb, userInfo: ["url": .url(url)]) }
        }
        for url in ["", ":", "a", "1a:b", "a/b:c", "ä:b", " a:b", "//example.org"] {
            let error = #expect(throws: ModelError.self) {
                try Activity(type: .browsingWeb, userInfo: ["url": .array([.url(url)])])
            }
            #expect(error?.code == .invalidValue)
        }
    }

    @Test("A NaN equals itself, but not one with other bits")
    func notANumber() {
        #expect(UserInfoValue.real(.nan) == .real(.nan))
        #expect(UserInfoValue.real(.nan) != .real(Double(bitPattern: Double.nan.bitPattern | 1)))
    }

    @Test("Texts are compared by their bytes, not by their appearance")
    func exactTexts() {
        let composed = UserInfoValue.string("\u{E9}")
        let decomposed = UserInfoValue.string("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test(
        "A whole number has the signed kind if it fits",
        arguments: [
            (0, .integer(0)), (UInt64(Int64.max), .integer(.max)),
            (UInt64(Int64.max) + 1, .unsigned(UInt64(Int64.max) + 1)), (.max, .unsigned(.max)),
        ] as [(UInt64, UserInfoValue)]
    )
    func number(value: UInt64, expected: UserInfoValue) {
        #expect(UserInfoValue.number(value) == expected)
    }

    @Test("Every value has its kind")
    func kinds() throws {
        let values: [UserInfoValue] = [
            .null, .boolean(true), .integer(1), .unsigned(.max), .real(1), .string(""), .data([]),
            .date(try Timestamp(seconds: 0)), .url("a:b"), .array([]), .dictionary([:]), .set([]),
        ]
        #expect(values.map(\.kind) == UserInfoValue.Kind.allCases)
    }
}
