import HandoffModel
import HandoffTestVectors

/// Activities for tests, some written out and some random.
enum SampleActivities {
    /// One with a value of every kind, and every property set.
    static func everything() throws -> Activity {
        try Activity(
            type: ActivityType("org.example.editor.editing"),
            title: "Résumé – draft",
            webpageURL: WebpageURL("https://example.org/doc?id=7#top"),
            userInfo: everyKind(),
            requiredUserInfoKeys: ["version", "document", "ä"],
            teamID: "A1B2C3D4E5",
            expiration: Timestamp("2026-11-21T03:38:00.123456789Z"),
            targetContentIdentifier: "doc-7",
            persistentIdentifier: "p-7",
            supportsContinuationStreams: true
        )
    }

    /// A value of every kind, and the limits of numbers and dates.
    static func everyKind() throws -> [String: UserInfoValue] {
        [
            "": .string("empty key"),
            "null": .null,
            "true": .boolean(true),
            "false": .boolean(false),
            "zero": .integer(0),
            "minusOne": .integer(-1),
            "smallest": .integer(.min),
            "largest": .integer(.max),
            "unsigned": .unsigned(.max),
            "real": .real(0.1),
            "minusZero": .real(-0.0),
            "nan": .real(Double(bitPattern: 0x7FF8_0000_0000_002A)),
            "infinity": .real(-.infinity),
            "string": .string("Grüße, 世界 \u{1F44B}"),
            "data": .data([0, 1, 0xFE, 0xFF]),
            "date": .date(try Timestamp("1969-12-31T23:59:59.999999999Z")),
            "earliest": .date(try Timestamp(seconds: Timestamp.earliestSeconds)),
            "url": .url("mailto:ann@example.org"),
            "array": .array([.integer(1), .real(1), .boolean(true), .null, .array([])]),
            "dictionary": .dictionary(["b": .integer(2), "a": .dictionary([:])]),
            "set": .set([.string("y"), .string("x"), .integer(300), .set([])]),
        ]
    }

    /// One with userInfo that nests as deep as it may.
    static func deepest() throws -> Activity {
        var value = UserInfoValue.integer(1)
        for level in 1..<ActivityLimits.nestingDepth {
            value = level.isMultiple(of: 2) ? .array([value]) : .dictionary(["k": value])
        }
        return try Activity(type: .browsingWeb, userInfo: ["k": value])
    }

    /// A random one.
    static func random(using random: inout SeededRandom) throws -> Activity {
        let hasTitle = Bool.random(using: &random)
        return try Activity(
            type: ActivityType("com.example.a\(UInt16.random(in: .min ... .max, using: &random))"),
            title: hasTitle ? text(using: &random) : nil,
            userInfo: dictionary(depth: 3, using: &random),
            expiration: hasTitle ? nil : timestamp(using: &random),
            supportsContinuationStreams: Bool.random(using: &random)
        )
    }

    private static func dictionary(depth: Int, using random: inout SeededRandom) throws -> [String: UserInfoValue] {
        var result: [String: UserInfoValue] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            result[text(using: &random)] = try value(depth: depth - 1, using: &random)
        }
        return result
    }

    private static func values(depth: Int, using random: inout SeededRandom) throws -> [UserInfoValue] {
        var result: [UserInfoValue] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            result.append(try value(depth: depth - 1, using: &random))
        }
        return result
    }

    private static func value(depth: Int, using random: inout SeededRandom) throws -> UserInfoValue {
        switch Int.random(in: 0..<(depth > 0 ? 12 : 9), using: &random) {
        case 0: .null
        case 1: .boolean(Bool.random(using: &random))
        case 2: .integer(Int64(truncatingIfNeeded: random.next()))
        case 3: .number(random.next())
        case 4: .real(Double(bitPattern: random.next()))
        case 5: .string(text(using: &random))
        case 6: .data(random.bytes(Int.random(in: 0...20, using: &random)))
        case 7: .date(try timestamp(using: &random))
        case 8: .url("x:" + text(using: &random))
        case 9: .array(try values(depth: depth, using: &random))
        case 10: .dictionary(try dictionary(depth: depth, using: &random))
        default: .set(Set(try values(depth: depth, using: &random)))
        }
    }

    private static func text(using random: inout SeededRandom) -> String {
        let letters = Array("abcäöü世\u{1F44B}e\u{301} .".unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            text.append(letters[Int.random(in: 0..<letters.count, using: &random)])
        }
        return String(text)
    }

    private static func timestamp(using random: inout SeededRandom) throws -> Timestamp {
        try Timestamp(
            seconds: .random(in: Timestamp.earliestSeconds...Timestamp.latestSeconds, using: &random),
            nanoseconds: .random(in: 0..<1_000_000_000, using: &random)
        )
    }
}
