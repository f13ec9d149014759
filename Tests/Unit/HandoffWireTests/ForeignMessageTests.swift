import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

/// Messages as another implementation could write them, byte by byte.
@Suite("Messages of other implementations", .endsWithin(minutes: 10))
struct ForeignMessageTests {
    /// An answer with an activity of type `a.b` and further fields of the activity.
    private func answer(_ fields: [UInt8]) -> [UInt8] {
        let activity = [0x0A, 3] + Array("a.b".utf8) + fields
        return [0x0A] + length(activity.count) + activity
    }

    /// An answer whose userInfo has the entry `k` with these bytes of a value.
    private func answer(value: [UInt8]) -> [UInt8] {
        let entry = [0x0A, 1, 0x6B, 0x12] + length(value.count) + value
        return answer([0x22] + length(entry.count) + entry)
    }

    private func length(_ count: Int) -> [UInt8] {
        count < 128 ? [UInt8(count)] : [UInt8(count & 0x7F | 0x80)] + length(count >> 7)
    }

    @Test("Fields that this version does not know are ignored")
    func unknownFields() throws {
        let known = try Activity(type: ActivityType("a.b"))
        #expect(try Answer(decoding: answer([0xFA, 0x7F, 2, 1, 2])) == .activity(known))
        #expect(try Answer(decoding: answer([]) + [0xA0, 0x06, 1]) == .activity(known))
        let request = Request.fetch(
            FetchRequest(number: AdvertisementNumber(slot: 1, lowNineBits: 5))
        )
        #expect(try Request(decoding: request.encode() + [0xA0, 0x06, 1]) == request)
        #expect(try Acknowledgement(decoding: [0xA0, 0x06, 1]) == Acknowledgement())
    }

    @Test("Kinds that only a newer version knows are refused as unknown kinds")
    func unknownKinds() {
        let errors = [
            #expect(throws: WireError.self) { try Request(decoding: [0x7A, 0]) },
            #expect(throws: WireError.self) { try Request(decoding: []) },
            #expect(throws: WireError.self) { try Answer(decoding: [0x7A, 0]) },
            #expect(throws: WireError.self) { try Answer(decoding: answer(value: [0x7A, 0])) },
        ]
        #expect(errors.map { $0?.code } == [.unknownKind, .unknownKind, .unknownKind, .unknownKind])
    }

    @Test(
        "Impossible content is refused",
        arguments: [
            ("a string with U+0000", [0x32, 1, 0]),
            ("a small unsigned number", [0x20, 5]),
            ("a whole second of nanoseconds", [0x42, 6, 0x10, 0x80, 0x94, 0xEB, 0xDC, 0x03]),
            ("a date after the year 9999", [0x42, 8, 0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02]),
            ("a set with a value twice", [0x62, 8, 0x0A, 2, 0x18, 2, 0x0A, 2, 0x18, 2]),
            (
                "a dictionary with a key twice",
                [0x5A, 18] + [0x0A, 7, 0x0A, 1, 0x61, 0x12, 2, 0x0A, 0] + [0x0A, 7, 0x0A, 1, 0x61, 0x12, 2, 0x0A, 0]
            ),
            ("an entry without a value", [0x5A, 5, 0x0A, 3, 0x0A, 1, 0x61]),
        ] as [(String, [UInt8])]
    )
    func impossible(what: String, value: [UInt8]) {
        let error = #expect(throws: WireError.self) { try Answer(decoding: answer(value: value)) }
        #expect(error?.code == .invalidContent, "\(what)")
    }

    @Test(
        "Properties that violate a rule are refused",
        arguments: [
            ("a file address as a web page", [0x1A, 9] + Array("file:///a".utf8)),
            ("a team identifier with a blank", [0x2A, 3] + Array("a b".utf8)),
            ("an empty identifier", [0x3A, 0]),
            ("a second type that is none", [0x0A, 1, 0x61]),
        ] as [(String, [UInt8])]
    )
    func brokenProperties(what: String, fields: [UInt8]) {
        let error = #expect(throws: WireError.self) { try Answer(decoding: answer(fields)) }
        #expect(error?.code == .invalidContent, "\(what)")
    }

    @Test("Two keys that are equal in Unicode are refused")
    func equivalentKeys() {
        let composed: [UInt8] = [0x22, 8, 0x0A, 2, 0xC3, 0xA9, 0x12, 2, 0x0A, 0]
        let decomposed: [UInt8] = [0x22, 9, 0x0A, 3, 0x65, 0xCC, 0x81, 0x12, 2, 0x0A, 0]
        #expect(throws: Never.self) { try Answer(decoding: answer(composed)) }
        #expect(throws: Never.self) { try Answer(decoding: answer(decomposed)) }
        let error = #expect(throws: WireError.self) { try Answer(decoding: answer(composed + decomposed)) }
        #expect(error?.code == .invalidContent)
    }

    @Test("Text that is not UTF-8 is refused")
    func badText() {
        let error = #expect(throws: WireError.self) { try Answer(decoding: answer([0x12, 1, 0xFF])) }
        #expect(error?.code == .malformed)
    }

    @Test("Values that nest too deep are refused, however deep", arguments: [17, 30, 40, 100, 5000])
    func tooDeep(levels: Int) {
        var value: [UInt8] = [0x0A, 0]
        for _ in 1..<levels {
            let list = [0x0A] + length(value.count) + value
            value = [0x52] + length(list.count) + list
        }
        let error = #expect(throws: WireError.self) { try Answer(decoding: answer(value: value)) }
        #expect(error.map { [.invalidContent, .malformed].contains($0.code) } == true)
    }

    @Test("A length beyond the end of the message is refused without allocating that much")
    func lyingLengths() {
        for hexText in ["0affffffff07", "0a8080808080808080807f"] {
            let bytes = bytes(hexText)
            let error = #expect(throws: WireError.self) { try Answer(decoding: bytes) }
            #expect(error?.code == .malformed)
        }
    }

    @Test("A message of nothing but tiny values is read in bounded time and space")
    func manyTinyValues() throws {
        let list = Array(repeatElement([0x0A, 2, 0x0A, 0] as [UInt8], count: 15_000).joined())
        let read = try Answer(decoding: answer(value: [0x52] + length(list.count) + list))
        guard case .activity(let activity) = read, case .array(let values)? = activity.userInfo["k"] else {
            Issue.record("the array is missing")
            return
        }
        #expect(values.count == 15_000)
    }
}
