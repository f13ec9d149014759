import HandoffModel
import HandoffWire
import TestLimits
import Testing

/// The rules of Docs/Protocol.md, "Encoding", byte by byte.
@Suite("What a reader accepts of Protocol Buffers", .endsWithin(minutes: 10))
struct EncodingRuleTests {
    /// A field whose content has a length, which is below 128.
    private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(content.count)] + content
    }

    /// Reads an answer whose activity has the type `a.b` and these fields.
    private static func activity(_ fields: [UInt8], after: [UInt8] = []) throws -> Activity {
        let bytes = field(1, field(1, Array("a.b".utf8)) + fields) + after
        guard case .activity(let activity) = try Answer(decoding: bytes) else { throw WireError(.malformed, "other") }
        return activity
    }

    /// Reads the value of the one entry of userInfo.
    private static func value(_ value: [UInt8]) throws -> UserInfoValue? {
        try activity(field(4, field(1, Array("k".utf8)) + field(2, value))).userInfo["k"]
    }

    @Test("Of a field that occurs twice, and of two members of a oneof, the last one counts")
    func lastCounts() throws {
        let digest = [UInt8](repeating: 7, count: 32)
        let circle = Self.field(2, Self.field(1, digest))
        let fetch = Self.field(1, [0x08, 4, 0x10, 9] + Self.field(3, []))
        #expect(try Request(decoding: fetch + circle) == .circle(CircleRequest(digest: digest)))
        let number = AdvertisementNumber(slot: 4, lowNineBits: 9)
        #expect(try Request(decoding: circle + fetch) == .fetch(FetchRequest(number: number)))
        #expect(try Self.activity(Self.field(2, [0x61]) + Self.field(2, [0x62])).title == "b")
        #expect(try Self.value(Self.field(6, [0x61]) + [0x10, 1]) == .boolean(true))
    }

    @Test("A message field that occurs twice is merged")
    func merged() throws {
        let activity = try Self.activity(Self.field(6, [0x08, 2]) + Self.field(6, [0x10, 5]))
        #expect(activity.expiration == (try Timestamp(seconds: 1, nanoseconds: 5)))
    }

    @Test("A known number with another wire type, and unknown groups, are skipped")
    func skipped() throws {
        #expect(try Self.activity([0x10, 1]).title == nil)
        #expect(try Self.activity(Self.field(9, [1])).supportsContinuationStreams == false)
        let group: [UInt8] = [0xFB, 0x7F, 0x08, 1, 0x12, 1, 0x61, 0xFC, 0x7F]
        #expect(try Self.activity(group, after: group) == Activity(type: ActivityType("a.b")))
    }

    @Test("Varints may be long; of a 32-bit field the lower 32 bits count, and any number but 0 is true")
    func varints() throws {
        #expect(try Self.activity([0x48, 2]).supportsContinuationStreams)
        #expect(try Self.activity([0x48, 0x80, 0x80, 0x80, 0x80, 0x10]).supportsContinuationStreams)
        #expect(try Self.activity([0x48, 0x80, 0]).supportsContinuationStreams == false)
        let long: [UInt8] = [0x10, 0x85, 0x80, 0x80, 0x80, 0x10]
        #expect(try Self.activity(Self.field(6, long)).expiration == (try Timestamp(seconds: 0, nanoseconds: 5)))
        let ten: [UInt8] = [0x18] + [UInt8](repeating: 0x80, count: 9) + [0]
        #expect(try Self.value(ten) == .integer(0))
    }

    @Test(
        "A message with an impossible field is refused",
        arguments: [
            ("a field without its content", [0x0A]), ("a length beyond the end", [0x0A, 5, 1]),
            ("the field number 0", [0x02, 0]), ("wire type 6", [0x0E, 0]), ("wire type 7", [0x0F, 0]),
            ("a group that does not end", [0xFB, 0x7F]), ("a group that did not begin", [0xFC, 0x7F]),
            ("another group's end", [0xFB, 0x7F, 0xF4, 0x7F]),
            ("a varint of eleven bytes", [0xA0, 0x06] + [UInt8](repeating: 0x80, count: 10) + [0]),
            ("four bytes that are three", [0xA5, 0x06, 0, 0, 0]),
        ] as [(String, [UInt8])]
    )
    func impossible(what: String, bytes: [UInt8]) {
        let error = #expect(throws: WireError.self, "\(what)") { try Self.activity([], after: bytes) }
        #expect(error?.code == .malformed, "\(what)")
    }

    @Test(
        "Groups nest at most 63 deep in the outermost message",
        arguments: [(63, true), (64, false), (30_000, false)]
    )
    func groups(depth: Int, isAccepted: Bool) {
        let begin: [UInt8] = [0xFB, 0x7F]
        let end: [UInt8] = [0xFC, 0x7F]
        let groups = Array([begin, end].flatMap { repeatElement($0, count: depth).joined() })
        #expect(((try? Self.activity([], after: groups)) != nil) == isAccepted)
    }

    @Test("Elements of a set are the same if they have the same canonical encoding")
    func sets() throws {
        func set(_ elements: [[UInt8]]) throws -> UserInfoValue? {
            try Self.value(Self.field(12, elements.flatMap { Self.field(1, $0) }))
        }
        let zero = [UInt8](repeating: 0, count: 8)
        let different: [[[UInt8]]] = [
            [[0x29] + zero, [0x29] + zero.dropLast() + [0x80]],
            [Self.field(6, [0xC3, 0xA9]), Self.field(6, [0x65, 0xCC, 0x81])],
            [[0x29, 1, 0, 0, 0, 0, 0, 0xF8, 0x7F], [0x29, 2, 0, 0, 0, 0, 0, 0xF8, 0x7F]],
        ]
        for elements in different {
            guard case .set(let read)? = try set(elements) else {
                Issue.record("no set")
                continue
            }
            #expect(read.count == 2)
        }
        func entry(_ key: UInt8) -> [UInt8] { Self.field(1, Self.field(1, [key]) + Self.field(2, [0x10, 1])) }
        func keyed(_ key: [UInt8]) -> [UInt8] {
            Self.field(11, Self.field(1, Self.field(1, key) + Self.field(2, [0x10, 1])))
        }
        guard case .set(let spelled)? = try set([keyed([0xC3, 0xA9]), keyed([0x65, 0xCC, 0x81])]) else {
            Issue.record("no set")
            return
        }
        #expect(spelled.count == 2)
        let orders = [Self.field(11, entry(0x61) + entry(0x62)), Self.field(11, entry(0x62) + entry(0x61))]
        #expect { try set(orders) } throws: { ($0 as? WireError)?.code == .invalidContent }
    }

    @Test("A required key that occurs twice is taken once, and the limit counts what is left")
    func requiredKeys() throws {
        let twice = Self.field(10, [0x6B]) + Self.field(10, [0x6B])
        #expect(try Self.activity(twice).requiredUserInfoKeys == ["k"])
        let equivalent = Self.field(10, [0xC3, 0xA9]) + Self.field(10, [0x65, 0xCC, 0x81])
        #expect(try Self.activity(equivalent).requiredUserInfoKeys.count == 1)
    }
}
