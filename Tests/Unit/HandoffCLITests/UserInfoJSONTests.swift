import Foundation
import HandoffBus
import HandoffJSON
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCLI

@Suite("The JSON form of userInfo distinguishes all kinds, in both directions", .endsWithin(minutes: 10))
struct UserInfoJSONTests {
    struct Form: CustomTestStringConvertible {
        let value: UserInfoValue
        let json: String

        init(_ value: UserInfoValue, _ json: String) {
            self.value = value
            self.json = json
        }

        var testDescription: String { json }
    }

    static let forms: [Form] = [
        Form(.null, "null"),
        Form(.boolean(true), "true"),
        Form(.boolean(false), "false"),
        Form(.integer(0), "0"),
        Form(.integer(1), "1"),
        Form(.integer(.min), "-9223372036854775808"),
        Form(.integer(.max), "9223372036854775807"),
        Form(.unsigned(.max), "18446744073709551615"),
        Form(.unsigned(UInt64(Int64.max) + 1), "9223372036854775808"),
        Form(.real(0.1), "0.1"),
        Form(.real(-2.5), "-2.5"),
        Form(.real(1.0), #"{"$real":1}"#),
        Form(.real(0.0), #"{"$real":0}"#),
        Form(.real(-0.0), #"{"$real":-0}"#),
        Form(.real(1e300), #"{"$real":1e+300}"#),
        Form(.real(.leastNonzeroMagnitude), "5e-324"),
        Form(.real(.greatestFiniteMagnitude), #"{"$real":1.7976931348623157e+308}"#),
        Form(.real(.nan), #"{"$real":"NaN"}"#),
        Form(.real(.infinity), #"{"$real":"Infinity"}"#),
        Form(.real(-.infinity), #"{"$real":"-Infinity"}"#),
        Form(.string(""), #""""#),
        Form(.string("Grüße \u{1F44B}\n\""), #""Grüße 👋\n\"""#),
        Form(.string("true"), #""true""#),
        Form(.data([]), #"{"$data":""}"#),
        Form(.data([0, 1, 0xFE, 0xFF]), #"{"$data":"AAH+/w=="}"#),
        Form(.url("mailto:ann@example.org?a=b/c"), #"{"$url":"mailto:ann@example.org?a=b/c"}"#),
        Form(.array([]), "[]"),
        Form(.array([.integer(1), .real(1), .boolean(true), .null]), #"[1,{"$real":1},true,null]"#),
        Form(.array([.array([]), .array([.null])]), "[[],[null]]"),
        Form(.dictionary([:]), "{}"),
        Form(.dictionary(["": .null]), #"{"":null}"#),
        Form(.dictionary(["$": .null]), #"{"$dictionary":{"$":null}}"#),
        Form(.dictionary(["$date": .string("x")]), #"{"$dictionary":{"$date":"x"}}"#),
        Form(.dictionary(["$a": .null, "$b": .null]), #"{"$a":null,"$b":null}"#),
        Form(
            .dictionary(["$dictionary": .dictionary(["$set": .array([])])]),
            #"{"$dictionary":{"$dictionary":{"$dictionary":{"$set":[]}}}}"#
        ),
        Form(.set([]), #"{"$set":[]}"#),
        Form(.set([.set([])]), #"{"$set":[{"$set":[]}]}"#),
    ]

    @Test("Each value has one form, and the form is read as that value", arguments: forms)
    func bothWays(_ form: Form) throws {
        #expect(try Self.json(form.value) == form.json)
        #expect(try Self.value(form.json) == form.value)
    }

    @Test(
        "Dates are exact to the nanosecond",
        arguments: [
            "1970-01-01T00:00:00Z", "2026-11-21T03:38:00.123456789Z", "1969-12-31T23:59:59.999999999Z",
            "-9999-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z",
        ]
    )
    func dates(_ text: String) throws {
        let value = UserInfoValue.date(try Timestamp(text))
        #expect(try Self.json(value) == #"{"$date":"\#(text)"}"#)
        #expect(try Self.value(#"{"$date":"\#(text)"}"#) == value)
    }

    @Test("A set is written in the same order each time, and read without duplicates")
    func sets() throws {
        let items: [UserInfoValue] = (0..<20).map { .integer($0) } + [.string("x"), .real(1), .null, .data([1])]
        let once = try Self.json(.set(Set(items)))
        for _ in 0..<10 { #expect(try Self.json(.set(Set(items.shuffled()))) == once) }
        #expect(try Self.value(once) == .set(Set(items)))
        #expect(try Self.value(#"{"$set":[1,1,{"$real":1},true,1]}"#) == .set([.integer(1), .real(1), .boolean(true)]))
    }

    @Test(
        "A number without a fractional part is an integer, however it is written",
        arguments: [
            ("1.0", UserInfoValue.integer(1)), ("1e3", .integer(1000)), ("-0", .integer(0)), ("1.5", .real(1.5)),
        ]
    )
    func numbers(_ json: String, _ value: UserInfoValue) throws {
        #expect(try Self.value(json) == value)
    }

    struct Mistake: CustomTestStringConvertible {
        let json: String
        let words: [String]

        init(_ json: String, _ words: String...) {
            self.json = json
            self.words = words
        }

        var testDescription: String { json }
    }

    @Test(
        "Input that cannot be read is refused with its position and the reason",
        arguments: [
            Mistake("", "JSON"),
            Mistake("{", "JSON"),
            Mistake(#"{"a": }"#, "JSON"),
            Mistake("[1]", "object"),
            Mistake("7", "object"),
            Mistake(#"{"photo": {"$data": "?"}}"#, "photo", "base64"),
            Mistake(#"{"photo": {"$data": 7}}"#, "photo"),
            Mistake(#"{"due": {"$date": "tomorrow"}}"#, "due", "tomorrow"),
            Mistake(#"{"due": {"$date": "2026-02-30T00:00:00Z"}}"#, "due"),
            Mistake(#"{"a": {"b": [1, {"$real": "x"}]}}"#, "a", "b", "1", "$real"),
            Mistake(#"{"a": {"$colour": "red"}}"#, "a", "$colour", "$dictionary"),
            Mistake(#"{"a": {"$set": 7}}"#, "a", "$set"),
            Mistake(#"{"a": {"$url": 7}}"#, "a", "$url"),
        ]
    )
    func mistakes(_ mistake: Mistake) {
        #expect { try UserInfoJSON.dictionary(from: mistake.json) } throws: { error in
            mistake.words.allSatisfy { "\(error)".contains($0) }
        }
    }

    @Test(
        "An integer that does not fit into 64 bits is refused, not rounded",
        arguments: ["18446744073709551616", "-9223372036854775809"]
    )
    func tooLarge(_ number: String) {
        #expect { try UserInfoJSON.dictionary(from: #"{"count": \#(number)}"#) } throws: { error in
            "\(error)".contains("count") && "\(error)".contains("64")
        }
    }

    @Test(
        "A nesting of 100,000 levels is an error and does not crash the parser",
        arguments: ["[", #"{"a":"#, #"{"$set":["#]
    )
    func nesting(_ opening: String) {
        let text = #"{"x":"# + String(repeating: opening, count: 100_000)
        #expect(throws: (any Error).self) { try UserInfoJSON.dictionary(from: text) }
    }

    private static func json(_ value: UserInfoValue) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(UserInfoJSON(value)), as: UTF8.self)
    }

    private static func value(_ json: String) throws -> UserInfoValue? {
        try UserInfoJSON.dictionary(from: #"{"value": \#(json)}"#)["value"]
    }

    @Test(
        "What is wrong with a text is told with its place, and without a word of Swift",
        arguments: [
            ("5", "it is not a JSON object"), (#"{"a":{"$url":5}}"#, "a.$url: it has to be a text"),
            (#"{"a":{"$set":5}}"#, "a.$set: it has to be a list"),
            (#"{"a":{"$dictionary":[]}}"#, "a.$dictionary: it has to be an object"), (#"{"a":}"#, nil), ("{", nil),
            (#"{"a":1e999}"#, nil), (#"{"a":99999999999999999999999}"#, nil), (#"{"a":{"$data":"?"}}"#, nil),
        ] as [(String, String?)]
    )
    func reasons(text: String, reason: String?) {
        let fault = #expect(throws: UserInfoJSON.Fault.self) { try UserInfoJSON.dictionary(from: text) }
        let sentence = fault?.description ?? ""
        #expect(swiftWords(in: sentence).isEmpty && !sentence.isEmpty, "\(sentence)")
        if let reason { #expect(sentence == reason) }
    }
}
