extension MessageRuleCases {
    /// The bytes of an answer with an activity of the type `a.b` and these fields.
    static func activity(_ fields: [UInt8], type: String = "a.b") -> [UInt8] { field(1, text(1, type) + fields) }

    /// A field of userInfo with a value.
    private static func entry(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] { field(4, field(1, key) + field(2, value)) }

    private static func of(_ value: [UInt8]) -> [UInt8] { activity(entry([0x6B], value)) }

    private static let null = field(1, [])

    /// As many required keys, each of another text.
    private static func requiredKeys(_ count: Int) -> [UInt8] { (0..<count).flatMap { text(10, "\($0)") } }

    /// An activity of that many bytes, most of them in an unknown field.
    private static func large(_ count: Int) -> [UInt8] {
        // The type has five bytes, and the key and the length of the other field five.
        activity(field(100, times(count - 10)))
    }

    static let ofActivities: [Accepted] = [
        ("the longest type", activity([], type: "a." + String(repeating: "b", count: 253))),
        ("a type of every kind of character", activity([], type: "aZ_-09._.-")),
        ("the longest title", activity(field(2, times(1024)))),
        ("a team of every kind of character", activity(text(5, "aZ.-_09"))),
        ("a team of 64 bytes", activity(field(5, times(64)))),
        ("the longest identifiers", activity(field(7, times(1024)) + field(8, times(1024)))),
        ("the shortest identifiers", activity(text(7, "k") + text(8, "k"))),
        ("a key of 1024 bytes", activity(entry(times(1024), null))),
        ("a required key of 1024 bytes", activity(field(10, times(1024)))),
        (
            "1025 required keys, two of which are spellings of one text",
            activity(requiredKeys(1023) + text(10, "\u{E9}") + text(10, "e\u{301}"))
        ),
        (
            "keys of compatible texts, which are two",
            activity(entry(Array("\u{FB01}".utf8), null) + entry([0x66, 0x69], null))
        ),
        ("keys in another order", activity(entry([0x62], null) + entry([0x61], null) + text(10, "b") + text(10, "a"))),
        ("a title twice, of which the last counts", activity(text(2, "a") + text(2, ""))),
        ("an expiration in two parts, which are merged", activity(field(6, [0x08, 2]) + field(6, [0x10, 5]))),
        ("an activity with streams", activity(number(9, 1) + number(11, 1 << 63 | 5))),
        ("an activity that is merged", activity(text(2, "a")) + field(1, text(5, "T"))),
        ("a title of another wire type, which is skipped", activity([0x10, 1])),
        ("an activity as large as may be, beside a digest", large(65_536) + field(5, times(32))),
    ].map { ($0, "Answer", $1) }

    static let brokenActivities: [Refused] =
        brokenTypes.map {
            ("the type \($0.debugDescription.prefix(20))", "Answer", activity([], type: $0), "invalidContent")
        }
        + brokenProperties.map { ($0, "Answer", activity($1), "invalidContent") } + [
            ("a title that is not UTF-8", "Answer", activity(field(2, [0x61, 0xFF])), "malformed"),
            ("an activity that is too large", "Answer", large(65_537), "tooLarge"),
        ]

    private static let brokenTypes = [
        "abc", "a..b", ".a.b", "a.b.", "a b.c", "\u{E4}.b", "a.b\n", "a.b/c", "a." + String(repeating: "b", count: 254),
    ]

    private static let brokenProperties: [(String, [UInt8])] = [
        ("a title of 1025 bytes", field(2, times(1025))),
        ("a title with U+0000", text(2, "a\0")),
        ("a team of 65 bytes", field(5, times(65))),
        ("an empty team", field(5, [])),
        ("a team with a blank", text(5, "a b")),
        ("a team with a letter beyond ASCII", text(5, "\u{E4}")),
        ("a target content identifier of 1025 bytes", field(7, times(1025))),
        ("an empty target content identifier", field(7, [])),
        ("a target content identifier with U+0000", text(7, "a\0")),
        ("a persistent identifier of 1025 bytes", field(8, times(1025))),
        ("an empty persistent identifier", field(8, [])),
        ("1025 required keys", requiredKeys(1025)),
        ("a required key with U+0000", text(10, "a\0")),
        ("an expiration after the year 9999", field(6, number(1, 2 * 253_402_300_800))),
        ("an address of another scheme", text(3, "ftp://example.org/")),
        (
            "two keys that are spellings of one text",
            entry(Array("\u{E9}".utf8), null) + entry(Array("e\u{301}".utf8), null)
        ),
        ("a key of 1025 bytes", entry(times(1025), null)),
        ("a required key of 1025 bytes", field(10, times(1025))),
        ("two equal keys", entry([0x6B], null) + entry([0x6B], null)),
        ("a key with U+0000", entry([0], null)),
        ("an entry without a value", field(4, text(1, "k"))),
    ]

    // MARK: Values

    private static func real(_ last: UInt8) -> [UInt8] { [0x29] + times(7, 0) + [last] }
    private static func seconds(_ zigzag: UInt64) -> [UInt8] { field(8, number(1, zigzag)) }
    private static func array(_ value: [UInt8]) -> [UInt8] { field(10, field(1, value)) }
    private static func setOf(_ values: [UInt8]...) -> [UInt8] { field(12, values.flatMap { field(1, $0) }) }
    private static func dictionary(_ keys: String...) -> [UInt8] {
        field(11, keys.flatMap { field(1, text(1, $0) + field(2, [0x10, 1])) })
    }
    private static func nested(_ levels: Int, _ value: [UInt8] = [0x10, 1], in one: ([UInt8]) -> [UInt8]) -> [UInt8] {
        (1..<levels).reduce(value) { inner, _ in one(inner) }
    }
    private static func inDictionary(_ value: [UInt8]) -> [UInt8] {
        field(11, field(1, text(1, "k") + field(2, value)))
    }
    private static func inSet(_ value: [UInt8]) -> [UInt8] { setOf(value) }

    static let values: [Accepted] = [
        ("two kinds of value, of which the last counts", of(text(6, "a") + [0x10, 1])),
        ("the same in the other order", of([0x10, 1] + text(6, "a"))),
        ("the smallest unsigned number", of(number(4, 1 << 63))),
        ("the first moment", of(seconds(2 * 377_705_116_800 - 1))),
        ("the last second", of(seconds(2 * 253_402_300_799))),
        ("the last nanosecond of a second", of(field(8, number(2, 999_999_999)))),
        ("a scheme of every kind of character", of(text(9, "aZ9+.-:"))),
        ("a set with 0.0 and -0.0", of(setOf(real(0), real(0x80)))),
        ("a set with two spellings of one text", of(setOf(text(6, "\u{E9}"), text(6, "e\u{301}")))),
        ("a set in another order", of(setOf(text(6, "b"), text(6, "a")))),
        ("a set of dictionaries with other keys", of(setOf(dictionary("a", "b"), dictionary("b", "c")))),
    ].map { ($0, "Answer", $1) }

    static let brokenValues: [Refused] =
        outOfRange.map { ($0, "Answer", of($1), "invalidContent") } + [
            ("messages 65 deep", "Answer", of(nested(31, field(10, []), in: array)), "malformed")
        ]

    private static let outOfRange: [(String, [UInt8])] = [
        ("an unsigned number that an integer holds", number(4, 1 << 63 - 1)),
        ("a date before the first", seconds(2 * 377_705_116_801 - 1)),
        ("a date after the last", seconds(2 * 253_402_300_800)),
        ("a second of nanoseconds", field(8, number(2, 1_000_000_000))),
        ("a string with U+0000", text(6, "a\0")),
        ("a URL with U+0000", text(9, "a:\0")),
        ("a URL whose scheme begins with a digit", text(9, "1a:")),
        ("a URL whose scheme has another character", text(9, "a_b:")),
        ("a URL without a colon", text(9, "abc")),
        ("a set of two orders of one dictionary", setOf(dictionary("a", "b"), dictionary("b", "a"))),
        ("arrays 17 deep", nested(17, in: array)),
        ("sets 17 deep", nested(17, in: inSet)),
        ("dictionaries 17 deep", nested(17, in: inDictionary)),
        ("messages 64 deep", nested(31, in: array)),
    ]
}
