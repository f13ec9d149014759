import HandoffModel
import TestLimits
import Testing

@Suite("Reading JSON without making values of it", .endsWithin(minutes: 5))
struct JSONScannerTests {
    /// The value of the member `key` of an object, as text; nil for none.
    private static func string(_ key: String, _ text: String, _ strictness: JSONScanner.Strictness) throws -> String? {
        var found: String?
        var scanner = JSONScanner(Array(text.utf8), strictness, maximumDepth: 4)
        try scanner.readObject { scanner, name throws(JSONScanner.Fault) in
            if name == key { found = try scanner.readString() } else { try scanner.skipValue() }
        }
        return found
    }

    @Test("Escapes are characters in a standard text, and stay as they are where only the structure counts")
    func escapes() throws {
        let text = #"{"a": [1, {"b": null}], "title": "x\"\u0041"}"#
        #expect(try Self.string("title", text, .standard) == "x\"A")
        #expect(try Self.string("title", text, .structure) == #"x\"\u0041"#)
    }

    @Test(
        "What is no JSON is refused, but not where only the structure counts",
        arguments: [
            #"{"title": "a", "title": "b"}"#, "{\"n\": \"\u{1}\", \"title\": \"b\"}", #"{"n": 01, "title": "b"}"#,
            #"{"n": nil, "title": "b"}"#, #"{"n": "\x", "title": "b"}"#,
        ]
    )
    func strictness(_ text: String) throws {
        #expect(throws: JSONScanner.Fault.self) { try Self.string("title", text, .standard) }
        #expect(try Self.string("title", text, .structure) == "b")
    }

    @Test(
        "What has no end, or nests too deep, is always refused",
        arguments: [#"{"title": "b"#, #"{"title": "b\"#, #"{"a": [[[[1]]]]}"#, #"{"a": }"#, "[]", ""],
        [JSONScanner.Strictness.standard, .structure]
    )
    func structure(_ text: String, _ strictness: JSONScanner.Strictness) {
        #expect(throws: JSONScanner.Fault.self) { try Self.string("title", text, strictness) }
    }

    @Test("Numbers, truth and lists are read where they are, and other values are passed over")
    func values() throws {
        var scanner = JSONScanner(
            Array(#"[7, 99999999999999999999, "7", true, "true", [1, 2], {"a": 1}]"#.utf8),
            .standard,
            maximumDepth: 4
        )
        var (numbers, truths, elements): ([Int64?], [Bool], Int) = ([], [], 0)
        var place = 0
        try scanner.readArray { scanner throws(JSONScanner.Fault) in
            switch place {
            case 0...2: numbers.append(try scanner.readInteger())
            case 3...4: truths.append(try scanner.readBool())
            default:
                try scanner.readArrayIfPresent { scanner throws(JSONScanner.Fault) in
                    elements += 1
                    try scanner.skipValue()
                }
            }
            place += 1
        }
        #expect(numbers == [7, nil, nil] && truths == [true, false] && elements == 2)
    }
}
