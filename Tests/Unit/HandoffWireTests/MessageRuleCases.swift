import HandoffTestVectors

/// Messages that keep to one rule of Docs/Protocol.md each, or break it, with the name of the error then.
enum MessageRuleCases {
    /// A description, the kind of message, and its bytes.
    typealias Accepted = (what: String, message: String, bytes: [UInt8])
    /// The same with an error.
    typealias Refused = (what: String, message: String, bytes: [UInt8], error: String)

    static let accepted = requests + answers + ofCircles + ofActivities + values
    static let refused = brokenFields + brokenRequests + brokenCircles + brokenActivities + brokenValues

    // MARK: Bytes

    static func field(_ number: UInt64, _ content: some Collection<UInt8>) -> [UInt8] {
        ProtobufBytes.field(number, content)
    }
    static func text(_ number: UInt64, _ content: String) -> [UInt8] { field(number, Array(content.utf8)) }
    static func number(_ number: UInt64, _ value: UInt64) -> [UInt8] { ProtobufBytes.number(number, value) }
    static func times(_ count: Int, _ byte: UInt8 = 0x6B) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    /// The fields of a fetch of number 9 in slot 4.
    private static let fetch: [UInt8] = [0x08, 4, 0x10, 9]
    private static let preview = field(3, [])
    /// The number 4 in ten bytes, of which the last one is this.
    private static func long(_ last: UInt8) -> [UInt8] { [0x84] + times(8, 0x80) + [last] }

    // MARK: Requests

    private static let requests: [Accepted] = [
        ("the greatest number", field(1, number(1, 4) + number(2, 511) + preview)),
        ("two kinds, of which the last counts", field(1, fetch + preview) + field(2, field(1, times(32)))),
        ("the same in the other order", field(2, field(1, times(32))) + field(1, fetch + preview)),
        ("two purposes, of which the last counts", field(1, fetch + preview + field(4, field(1, times(8))))),
        ("a fetch in two parts, which are merged", field(1, fetch) + field(1, preview)),
        ("a slot twice, of which the last counts", field(1, [0x08, 7] + fetch + preview)),
        ("a slot twice, which is 0 at last", field(1, fetch + [0x08, 0] + preview)),
        ("fields in another order", field(1, preview + [0x10, 9, 0x08, 4])),
        ("a slot of another wire type, which is skipped", field(1, [0x0A, 1, 7, 0x10, 9] + preview)),
        ("a number of 33 bits, of which the lower 32 count", field(1, [0x08, 4] + number(2, 1 << 32 | 9) + preview)),
        ("a truth that is 2", field(1, fetch + field(3, [0x08, 2]))),
        ("a truth that is 2^40", field(1, fetch + field(3, number(1, 1 << 40)))),
        ("a slot in ten bytes", field(1, [0x08] + long(0) + [0x10, 9] + preview)),
        ("a slot in ten bytes, of which 64 bits count", field(1, [0x08] + long(0x7F) + [0x10, 9] + preview)),
        ("the key of a field in five bytes", field(1, [0x88, 0x80, 0x80, 0x80, 0, 4, 0x10, 9] + preview)),
        ("the greatest number of a field", field(1, fetch + preview) + [0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 1]),
        ("unknown fields of each wire type", field(1, fetch + preview + unknown) + unknown),
        ("63 groups in each other", field(1, fetch + preview) + groups(63)),
        ("62 groups in each other, in the fetch", field(1, fetch + preview + groups(62))),
    ].map { ($0, "Request", $1) }

    /// Unknown fields: a varint, 64 bits, bytes, a group that has them and another one, and 32 bits.
    private static let unknown: [UInt8] = {
        let plain = number(100, 1) + [0xA1, 0x06] + times(8) + text(100, "abc") + [0xA5, 0x06] + times(4)
        return plain + ProtobufBytes.group(101, plain + ProtobufBytes.group(101, plain) + ProtobufBytes.group(7))
    }()

    private static func groups(_ count: Int) -> [UInt8] {
        (0..<count).reduce(into: []) { inner, _ in inner = ProtobufBytes.group(100, inner) }
    }

    private static let brokenRequests: [Refused] = [
        ("a request of nothing", [], "unknownKind"),
        ("a request for the circle with a digest of 31 bytes", field(2, field(1, times(31))), "invalidContent"),
        ("a request for the circle with a digest of 33 bytes", field(2, field(1, times(33))), "invalidContent"),
        ("a request for the circle without a digest", field(2, []), "invalidContent"),
        ("a pairing's identifier of nine bytes", field(4, field(1, times(9))), "invalidContent"),
        ("a take with an id of nine bytes", field(1, fetch + field(4, field(1, times(9)))), "invalidContent"),
        ("two kinds, of which the last is refused", field(1, fetch + preview) + field(2, []), "invalidContent"),
    ].map { ($0, "Request", $1, $2) }

    /// Bytes after a request that are no field.
    private static let brokenFields: [Refused] = [
        ("a field without its content", [0x0A]),
        ("the field number 0", [0x02, 0]),
        ("wire type 6", [0x0E, 0, 0, 0, 0]),
        ("wire type 7", [0x0F, 0, 0, 0, 0]),
        ("a group that does not end", [0xA3, 0x06]),
        ("a group that did not begin", [0xA4, 0x06]),
        ("the end of another group", [0xA3, 0x06, 0xAC, 0x06]),
        ("64 groups in each other", groups(64)),
        ("a varint of eleven bytes", [0xA0, 0x06] + times(10, 0x80) + [0]),
        ("64 bits that are 56", [0xA1, 0x06] + times(7)),
        ("32 bits that are 24", [0xA5, 0x06] + times(3)),
        ("the key of a field in six bytes", [0xF8, 0x80, 0x80, 0x80, 0x80, 0, 1]),
        ("the key of a field of 33 bits", [0xF8, 0x80, 0x80, 0x80, 0x10, 1]),
    ].map { ($0, "Request", field(1, fetch + preview) + $1, "malformed") }

    // MARK: Answers without an activity

    private static let answers: [Accepted] = [
        ("a digest beside a refusal", field(2, [0x08, 3]) + field(5, times(32))),
        ("a digest of 31 bytes, which is ignored", field(2, [0x08, 3]) + field(5, times(31))),
        ("a digest of 33 bytes, which is ignored", field(2, [0x08, 3]) + field(5, times(33))),
        ("a code of 33 bits, of which the lower 32 count", field(2, number(1, 1 << 32 | 3))),
        ("the greatest number of what is current", field(2, [0x08, 1] + current([1, 2, 3, 4], 511))),
        ("a current type hash of zeros, which is ignored", field(2, [0x08, 1] + current([0, 0, 0, 0], 5))),
        ("what is current, of another code", field(2, [0x08, 10] + current([1, 2, 3, 4], 5))),
    ].map { ($0, "Answer", $1) }

    private static func current(_ typeHash: [UInt8], _ index: UInt64) -> [UInt8] {
        field(3, field(1, typeHash) + number(2, 4) + number(3, index))
    }

    // MARK: Circles

    private static let ofCircles: [Accepted] = [
        ("a circle", "Answer", field(4, circle())),
        ("a circle without statements, of a device that has no key of the other", "Answer", field(4, circle(known: 0))),
        ("a circle of as many statements as may be", "Answer", field(4, statements(9288) + circle())),
        ("a circle in an acknowledgement", "Acknowledgement", field(1, field(1, times(202)) + circle())),
    ]

    private static let brokenCircles: [Refused] =
        circlesOfOtherLengths.map { ($0, "Answer", field(4, $1), "invalidContent") } + [
            ("a circle of too many statements", "Answer", field(4, statements(9289) + circle()), "tooLarge"),
            ("an acknowledgement with a circle without keys", "Acknowledgement", field(1, []), "invalidContent"),
        ]

    private static let circlesOfOtherLengths: [(String, [UInt8])] = [
        ("a circle with a digest of 31 bytes", circle(digest: 31)),
        ("a circle with a digest of 33 bytes", circle(digest: 33)),
        ("a circle without a digest", circle(digest: 0)),
        ("a circle with an advertising key of 43 bytes", circle(advertising: 43)),
        ("a circle with an advertising key of 45 bytes", circle(advertising: 45)),
        ("a circle with a directed key of 31 bytes", circle(directed: 31)),
        ("a circle with a directed key of 36 bytes, with its day", circle(directed: 36)),
        ("a circle with an identifier of seven bytes", circle(known: 7)),
        ("a circle with an identifier of nine bytes", circle(known: 9)),
    ]

    /// A circle without statements, whose fields have these lengths.
    private static func circle(
        digest: Int = 32,
        advertising: Int = 44,
        directed: Int = 32,
        known: Int = 8
    ) -> [UInt8] {
        let fields = [(2, digest), (3, advertising), (4, directed), (5, known)] as [(UInt64, Int)]
        return fields.flatMap { number, count in count == 0 ? [] : field(number, times(count)) }
    }

    private static func statements(_ count: Int) -> [UInt8] {
        Array(repeatElement(field(1, []), count: count).joined())
    }
}
