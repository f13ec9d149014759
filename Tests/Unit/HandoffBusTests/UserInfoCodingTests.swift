import DBus
import Glibc
import HandoffBus
import HandoffModel
import TestLimits
import Testing

@Suite("Coding of userInfo for D-Bus", .endsWithin(minutes: 10))
struct UserInfoCodingTests {
    private static func tagged(_ tag: String, _ content: Value) -> Value {
        .structure([.string(tag), .variant(content)])
    }

    private static func set(_ items: Value...) -> Value {
        .structure([.string("set"), .array(of: .variant, items.map(Value.variant))])
    }

    private static func decoded(_ value: Value) throws -> UserInfoValue? {
        try UserInfoCoding.userInfo(from: ["k": value].value)["k"]
    }

    /// How many values a reader of a message counts (``DBus/BodyLimits``): each container and what it contains.
    private static func count(_ value: Value) -> Int {
        switch value {
        case .variant(let content): 1 + count(content)
        case .array(_, let items), .structure(let items): items.reduce(1) { $0 + count($1) }
        case .dictionary(_, _, let entries): entries.reduce(1) { $0 + count($1.key) + count($1.value) }
        default: 1
        }
    }

    @Test("An activity counts at least the values that a message with it has", arguments: UInt64(0)..<50)
    func valueCount(_ seed: UInt64) throws {
        var random = RandomUserInfo(seed: seed)
        let userInfo = try random.dictionary().merging(Self.forms.enumerated().map { ("\($0)", $1.0) }) { $1 }
        for (key, value) in userInfo {
            let values = Self.count(UserInfoCoding.value(of: [key: value])) - 2
            #expect(values <= value.busValueCount, "\(value)")
        }
    }

    private static let forms: [(UserInfoValue, Value)] = [
        (.null, tagged("null", .string(""))),
        (.boolean(true), .boolean(true)),
        (.integer(.min), .int64(.min)),
        (.integer(.max), .int64(.max)),
        (.unsigned(.max), .uint64(.max)),
        (.real(-0.5), .double(-0.5)),
        (.real(3), .double(3)),
        (.string(""), .string("")),
        (.string("Grüße ✓"), .string("Grüße ✓")),
        (.data([]), .bytes([])),
        (.data([0, 255]), .bytes([0, 255])),
        (.url("mailto:ann@example.org"), tagged("url", .string("mailto:ann@example.org"))),
        (.array([]), .array(of: .variant, [])),
        (.array([.integer(1), .string("b")]), .array(of: .variant, [.variant(.int64(1)), .variant(.string("b"))])),
        (.dictionary([:]), [String: Value]().value),
        (
            .dictionary(["b": .boolean(false), "a": .null]),
            ["a": tagged("null", .string("")), "b": .boolean(false)].value
        ),
        (.set([]), set()),
        (.set([.string("x"), .string("y")]), set(.string("x"), .string("y"))),
    ]

    @Test("Each kind has one form, and is decoded from it", arguments: forms)
    func eachForm(_ item: UserInfoValue, _ value: Value) throws {
        #expect(UserInfoCoding.value(of: ["k": item]) == ["k": value].value)
        #expect(try Self.decoded(value) == item)
    }

    @Test(
        "A date is encoded exactly, as its seconds and nanoseconds",
        arguments: [
            (Timestamp.earliestSeconds, 0), (-1, 999_999_999), (0, 0), (1_795_232_280, 1),
            (Timestamp.latestSeconds, 999_999_999),
        ] as [(Int64, UInt32)]
    )
    func dates(_ seconds: Int64, _ nanoseconds: UInt32) throws {
        let date = UserInfoValue.date(try Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        let value = Self.tagged("date", .structure([.int64(seconds), .uint32(nanoseconds)]))
        #expect(UserInfoCoding.value(of: ["k": date]) == ["k": value].value)
        #expect(try Self.decoded(value) == date)
    }

    @Test(
        "Real numbers keep every bit",
        arguments: [-0.0, .nan, .signalingNaN, -.infinity, .leastNonzeroMagnitude] as [Double]
    )
    func reals(_ real: Double) throws {
        #expect(try Self.decoded(.double(real)) == .real(real))
        let value = UserInfoCoding.value(of: ["k": .real(real)]).stringDictionary?["k"]?.double
        #expect(value?.bitPattern == real.bitPattern)
    }

    @Test("Any userInfo is the same after encoding and decoding", arguments: 0..<100 as Range<UInt64>)
    func random(_ seed: UInt64) throws {
        var random = RandomUserInfo(seed: seed)
        let userInfo = try random.dictionary()
        let value = UserInfoCoding.value(of: userInfo)
        #expect(value.type.description == "a{sv}")
        #expect(try UserInfoCoding.userInfo(from: value) == userInfo)
    }

    @Test("Equal userInfo has equal encodings, in whatever order it was built")
    func order() {
        let words = (0..<50).map { UserInfoValue.string("word \($0)") }
        var grown = Set<UserInfoValue>()
        for word in words.reversed() {
            grown.insert(word)
            grown.insert(.dictionary(["a": word, "b": .set([word, .null])]))
        }
        let made = Set(words + words.map { .dictionary(["b": .set([.null, $0]), "a": $0]) })
        let (left, right) = (UserInfoValue.set([.set(grown), .null]), UserInfoValue.set([.null, .set(made)]))
        #expect(left == right)
        #expect(UserInfoCoding.value(of: ["k": left]) == UserInfoCoding.value(of: ["k": right]))
    }
}

@Suite("Other D-Bus values that are accepted as userInfo", .endsWithin(minutes: 10))
struct UserInfoReadingTests {
    private static let integers: [Value] = [
        .byte(7), .int16(7), .uint16(7), .int32(7), .uint32(7), .int64(7), .uint64(7), .variant(.variant(.byte(7))),
    ]

    @Test("An integer of any width is accepted", arguments: integers)
    func eachWidth(_ value: Value) throws {
        #expect(try UserInfoCoding.userInfo(from: ["k": value].value) == ["k": .integer(7)])
    }

    @Test(
        "The limits of each integer width are accepted",
        arguments: [
            (.int16(.min), .integer(-32_768)), (.uint16(.max), .integer(65_535)),
            (.int32(.min), .integer(-2_147_483_648)), (.uint32(.max), .integer(4_294_967_295)),
            (.uint64(UInt64(Int64.max)), .integer(.max)), (.uint64(UInt64(Int64.max) + 1), .unsigned(1 << 63)),
        ] as [(Value, UserInfoValue)]
    )
    func edges(_ value: Value, _ integer: UserInfoValue) throws {
        #expect(try UserInfoCoding.userInfo(from: ["k": value].value) == ["k": integer])
    }

    private static let containers: [(Value, UserInfoValue)] = [
        (["a", "b"].value, .array([.string("a"), .string("b")])),
        ([UInt16(1), 2].value, .array([.integer(1), .integer(2)])),
        (["k": "v"].value, .dictionary(["k": .string("v")])),
        (["k": [true]].value, .dictionary(["k": .array([.boolean(true)])])),
        (.array(of: .array(.byte), [.bytes([1]), .bytes([])]), .array([.data([1]), .data([])])),
        (.structure([.string("set"), ["a", "b"].value]), .set([.string("a"), .string("b")])),
        (.structure([.string("set"), .variant(["a"].value)]), .set([.string("a")])),
        (.structure([.string("set"), .bytes([1, 2, 1])]), .set([.integer(1), .integer(2)])),
        (.structure([.string("set"), .variant(.bytes([1]))]), .set([.integer(1)])),
        (.structure([.string("url"), .string("tel:112")]), .url("tel:112")),
        (.structure([.string("null"), .variant(.byte(0))]), .null),
        (.structure([.string("null"), .string("")]), .null),
    ]

    @Test("Containers of one type, and tagged structures without the variant, are accepted", arguments: containers)
    func eachContainer(_ value: Value, _ item: UserInfoValue) throws {
        #expect(try UserInfoCoding.userInfo(from: ["k": value].value) == ["k": item])
    }

    @Test(
        "A date is accepted without the variant, and with the one integer type that some languages have",
        arguments: [
            .structure([.int64(7), .uint32(5)]), .variant(.structure([.int32(7), .int32(5)])),
            .variant(.structure([.uint64(7), .byte(5)])),
        ] as [Value]
    )
    func date(_ parts: Value) throws {
        let value = Value.structure([.string("date"), parts])
        let date = UserInfoValue.date(try Timestamp(seconds: 7, nanoseconds: 5))
        #expect(try UserInfoCoding.userInfo(from: ["k": value].value) == ["k": date])
    }

    @Test("A dictionary whose values have one type is accepted as a whole")
    func whole() throws {
        #expect(try UserInfoCoding.userInfo(from: ["a": UInt8(1)].value) == ["a": .integer(1)])
        #expect(try UserInfoCoding.userInfo(from: .variant([String: String]().value)) == [:])
    }

    @Test("The depth that the model allows is accepted, and one more level is refused", arguments: Nesting.allCases)
    func depth(_ nesting: Nesting) throws {
        let limit = ActivityLimits.nestingDepth
        let type = try ActivityType("org.example.deep")
        let deepest = try UserInfoCoding.userInfo(from: ["k": nesting.value(at: limit)].value)
        #expect(throws: Never.self) { try Activity(type: type, userInfo: deepest) }
        let tooDeep = try nesting.date(at: limit + 1)
        #expect(throws: ModelError.self) { try Activity(type: type, userInfo: ["k": tooDeep]) }
        let error = dbusError { _ = try UserInfoCoding.userInfo(from: ["k": nesting.value(at: limit + 1)].value) }
        #expect(HandoffErrorName(error?.name) == .invalidUserInfo)
        #expect(error?.message.hasPrefix("userInfo[\"k\"]") == true)
        #expect(error?.message.hasSuffix("is nested more than 16 deep.") == true)
    }
}

@Suite("Values that are refused as userInfo, with their position", .endsWithin(minutes: 10))
struct UserInfoRefusalTests {
    private static func date(_ parts: Value...) -> Value {
        .structure([.string("date"), .variant(.structure(parts))])
    }

    private static let refused: [(Value, String)] = [
        (.objectPath("/a"), "has a D-Bus type with no meaning elsewhere; use a string."),
        (
            .structure([.byte(1)]),
            "is a structure; only (tag, value) with the tag null, date, url or set can be carried."
        ),
        (
            .structure([.string("url"), .string("x:"), .byte(1)]),
            "is a structure; only (tag, value) with the tag null, date, url or set can be carried."
        ),
        (
            .structure([.string("colour"), .variant(.uint32(5))]),
            "has the tag \"colour\" with a value of type u, which is not supported."
        ),
        (
            .structure([.string("url"), .variant(.bytes([1]))]),
            "has the tag \"url\" with a value of type ay, which is not supported."
        ),
        (
            .structure([.string("set"), .variant(["a": "b"].value)]),
            "has the tag \"set\" with a value of type a{ss}, which is not supported."
        ),
        ([UInt32(1): "one"].value, "has keys of type u; only strings can be keys."),
        (date(.int64(0), .int64(-1)), "is a date that is not (seconds x, nanoseconds u)."),
        (date(.int64(0), .uint64(1 << 32)), "is a date that is not (seconds x, nanoseconds u)."),
        (date(.double(0), .uint32(0)), "is a date that is not (seconds x, nanoseconds u)."),
        (date(.int64(0)), "is a date that is not (seconds x, nanoseconds u)."),
        (
            date(.int64(0), .uint32(1_000_000_000)),
            "is not a date: A date has 0 to 999999999 nanoseconds, got 1000000000."
        ),
    ]

    @Test("D-Bus values that userInfo does not have are refused", arguments: refused)
    func eachRefusal(_ value: Value, _ reason: String) {
        let error = dbusError { _ = try UserInfoCoding.userInfo(from: ["k": value].value) }
        #expect(HandoffErrorName(error?.name) == .invalidUserInfo)
        #expect(error?.message == "userInfo[\"k\"] \(reason)")
    }

    @Test("A file descriptor and a signature are refused")
    func descriptors() throws {
        let descriptor = dup(0)
        let error = dbusError {
            _ = try UserInfoCoding.userInfo(from: ["k": Value.unixFD(UnixFD(taking: descriptor))].value)
        }
        #expect(HandoffErrorName(error?.name) == .invalidUserInfo)
        #expect(error?.message == "userInfo[\"k\"] is a file descriptor, which cannot leave this computer.")
        let signature = Value.signature(try Signature("s"))
        let other = dbusError { _ = try UserInfoCoding.userInfo(from: ["k": signature].value) }
        #expect(HandoffErrorName(other?.name) == .invalidUserInfo)
    }

    @Test("The position in the error is the whole path to the value")
    func place() {
        let value = [
            "outer": ["list": Value.array(of: .variant, [.variant(.byte(1)), .variant(.objectPath("/"))])].value
        ]
        let error = dbusError { _ = try UserInfoCoding.userInfo(from: value.value) }
        #expect(error?.message.hasPrefix("userInfo[\"outer\"][\"list\"][1] has a D-Bus type") == true)
    }

    @Test(
        "A value that is not a dictionary is refused",
        arguments: [
            .string("{}"), .byte(1), .array(of: .variant, []), .variant(.bytes([])),
        ] as [Value]
    )
    func noDictionary(_ value: Value) {
        let error = dbusError { _ = try UserInfoCoding.userInfo(from: value) }
        #expect(HandoffErrorName(error?.name) == .invalidUserInfo)
        #expect(error?.message == "userInfo is a dictionary with string keys (a{sv}).")
    }

    @Test("Two keys that are equal in Unicode are refused, because one of them would be lost")
    func sameKeyTwice() {
        let keys = ["caf\u{E9}", "cafe\u{301}"]
        let entries = keys.map { DictionaryEntry(key: .string($0), value: .variant(.byte(1))) }
        let value = Value.dictionary(key: .string, value: .variant, entries)
        let error = dbusError { _ = try UserInfoCoding.userInfo(from: value) }
        #expect(HandoffErrorName(error?.name) == .invalidUserInfo)
        #expect(error?.message.hasSuffix("is a duplicate key.") == true)
    }
}

@Suite("Values as they are shown to users", .endsWithin(minutes: 10))
struct ShownValueTests {
    @Test(
        "Values of userInfo are shown as such, and other values by their parts",
        arguments: [
            (.variant(.byte(1)), .integer(1)),
            (.objectPath("/a"), .string("/a")),
            (.array(of: .objectPath, [.objectPath("/a")]), .array([.string("/a")])),
            (
                .array(of: .structure([.string, .string]), [.structure([.string("slow"), .string("Buy another.")])]),
                .array([.array([.string("slow"), .string("Buy another.")])])
            ),
            ([UInt8(1): "one"].value, .dictionary(["byte(1)": .string("one")])),
        ] as [(Value, UserInfoValue)]
    )
    func shown(_ value: Value, _ item: UserInfoValue) {
        #expect(UserInfoCoding.displayValue(value) == item)
    }
}
