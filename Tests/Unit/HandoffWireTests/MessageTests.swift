import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Messages", .endsWithin(minutes: 10))
struct MessageTests {
    @Test(
        "The text of a refusal is cleaned where it is read: nothing in it steers a terminal or reverses its direction"
    )
    func cleanRefusal() throws {
        let sent = "Stop\u{1B}]0;title\u{7}\u{1B}[2J\r\nnow\u{202E}\u{2066}\u{200B} \u{2028}and\u{9B} here"
        let answer = try Answer(decoding: Answer.refusal(Refusal(.busy, sent)).encode())
        guard case .refusal(let refusal) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(refusal.message == "Stop ]0;title [2J now and here")
        let long = try Answer(decoding: Answer.refusal(Refusal(.busy, String(repeating: "é", count: 500))).encode())
        guard case .refusal(let cut) = long else { return #expect(Bool(false), "\(long)") }
        #expect(cut.message == String(repeating: "é", count: 200))
    }

    @Test("An acknowledgement with a circle above the largest size is refused, although its known fields fit")
    func largeCircle() {
        // A circle with an unknown field of two million bytes.
        func varint(_ number: Int) -> [UInt8] {
            (0..<4).map { UInt8(number >> (7 * $0) & 0x7F) | ($0 < 3 ? 0x80 : 0) }
        }
        let unknown = [0x7A] + varint(2_000_000) + [UInt8](repeating: 0, count: 2_000_000)
        let length = varint(unknown.count)
        let error = #expect(throws: WireError.self) { try Acknowledgement(decoding: [0x0A] + length + unknown) }
        #expect(error?.code == .tooLarge)
    }

    @Test("Every kind of value and every property is the same after encoding and decoding")
    func everythingSurvives() throws {
        let activity = try SampleActivities.everything()
        #expect(try Answer(decoding: Answer.activity(activity).encode()) == .activity(activity))
    }

    @Test("The deepest possible userInfo is the same after encoding and decoding")
    func deepestSurvives() throws {
        let activity = try SampleActivities.deepest()
        #expect(try Answer(decoding: Answer.activity(activity).encode()) == .activity(activity))
    }

    @Test("An activity of only a type is the same after encoding and decoding, and absent properties stay absent")
    func leastSurvives() throws {
        let activity = try Activity(type: .browsingWeb)
        #expect(try Answer(decoding: Answer.activity(activity).encode()) == .activity(activity))
        let empty = try Activity(type: .browsingWeb, title: "")
        #expect(try Answer(decoding: Answer.activity(empty).encode()) == .activity(empty))
        #expect(empty != activity)
    }

    @Test("Random activities are the same after encoding and decoding, and equal ones have equal bytes")
    func randomSurvive() throws {
        var random = SeededRandom(seed: 2)
        for _ in 0..<300 {
            let activity = try SampleActivities.random(using: &random)
            let bytes = Answer.activity(activity).encode()
            let read = try Answer(decoding: bytes)
            #expect(read == .activity(activity))
            #expect(read.encode() == bytes)
        }
    }

    @Test("Requests, refusals and acknowledgements are the same after encoding and decoding")
    func othersSurvive() throws {
        let request = Request.fetch(
            FetchRequest(number: AdvertisementNumber(slot: 1, lowNineBits: 5))
        )
        #expect(try Request(decoding: request.encode()) == request)
        let refusal = Answer.refusal(Refusal(.busy, "Try again in a moment."))
        #expect(try Answer(decoding: refusal.encode()) == refusal)
        #expect(try Acknowledgement(decoding: Acknowledgement().encode()) == Acknowledgement())
    }

    @Test("A refusal with an unknown code keeps its number")
    func unknownRefusal() throws {
        let refusal = Answer.refusal(Refusal(.init(rawValue: 77), "From the future."))
        #expect(try Answer(decoding: refusal.encode()) == refusal)
        #expect(Refusal.Code(rawValue: 77).description == "unknown(77)")
    }

    @Test("The message of a refusal is truncated between scalars and loses U+0000")
    func longRefusal() {
        let refusal = Refusal(.internal, "a" + String(repeating: "ä", count: 600))
        #expect(refusal.message == "a" + String(repeating: "ä", count: 511))
        #expect(Refusal(.internal, "a\u{0}b").message == "ab")
    }

    @Test("A truncated message is read or refused, and nothing else happens")
    func truncations() throws {
        for bytes in Damage.truncations(of: Answer.activity(try SampleActivities.everything()).encode()) {
            expectReadOrRefused(bytes)
        }
    }

    @Test("A message with a flipped bit is read or refused, and what is read can be written")
    func bitFlips() throws {
        // One small message for each kind: the effect of a flip depends on its neighbours, not on the message's length.
        var activities = [try SampleActivities.everything().with { $0.userInfo = [:] }]
        for (key, value) in try SampleActivities.everyKind() {
            activities.append(try Activity(type: .browsingWeb, userInfo: [key: value]))
        }
        for bytes in activities.flatMap({ Damage.bitFlips(of: Answer.activity($0).encode()) }) {
            expectReadOrRefused(bytes)
        }
    }

    @Test("Messages above their limit are refused before they are read")
    func tooLarge() {
        let error = #expect(throws: WireError.self) {
            try Answer(decoding: [UInt8](repeating: 0, count: Answer.maximumCircleBytes + 1))
        }
        #expect(error?.code == .tooLarge)
        let other = #expect(throws: WireError.self) {
            try Request(decoding: [UInt8](repeating: 0, count: Request.maximumBytes + 1))
        }
        #expect(other?.code == .tooLarge)
    }

    @Test("The largest activity is read, and one byte more is refused with a hint at streams")
    func largest() throws {
        func activity(_ count: Int) throws -> Activity {
            try Activity(type: .browsingWeb, userInfo: ["d": .data([UInt8](repeating: 7, count: count))])
        }
        let overhead = try activity(60_000).encodedSize - 60_000
        let largest = try activity(ActivityLimits.maximumPayloadBytes - overhead)
        #expect(largest.encodedSize == ActivityLimits.maximumPayloadBytes)
        try largest.checkEncodedSize()
        #expect(try Answer(decoding: Answer.activity(largest).encode()) == .activity(largest))

        let larger = try activity(ActivityLimits.maximumPayloadBytes - overhead + 1)
        let error = #expect(throws: ModelError.self) { try larger.checkEncodedSize() }
        #expect(error?.code == .payloadTooLarge)
        #expect(error?.message.contains("continuation streams") == true)
        let refused = #expect(throws: WireError.self) { try Answer(decoding: Answer.activity(larger).encode()) }
        #expect(refused?.code == .tooLarge)
    }

    private func expectReadOrRefused(_ bytes: [UInt8]) {
        guard let read = try? Answer(decoding: bytes) else { return }
        let again = try? Answer(decoding: read.encode())
        if again != read { Issue.record("\(hex(bytes)) was read as a value that cannot be written: \(read)") }
    }
}
