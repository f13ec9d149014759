import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Message vectors", .endsWithin(minutes: 10))
struct MessageVectorTests {
    /// One message: its description, its bytes in hexadecimal, and its contents, or the reason why it is refused.
    struct Case: Codable, Equatable, Sendable {
        var what: String
        var message: String
        var bytes: String
        var typeHash: String?
        var activityTag: UInt8?
        /// The token by which a stream is requested, in decimal.
        var streamName: String?
        /// The id of a pairing that is being reconciled.
        var pairing: String?
        var advertisingKey: String?
        var activity: DescribedValue?
        var refusalCode: Int?
        var refusalMessage: String?
        var error: String?
    }

    private static func valid() throws -> [Case] {
        let hash = try ActivityTypeHash(bytes: [0x01, 0x23, 0x45, 0x67])
        let (pairing, key) = ([UInt8](1...8), [UInt8](0x20..<0x40))
        var cases = [
            Case(
                what: "asks for the activity",
                message: "Request",
                bytes: hex(Request.fetch(FetchRequest(typeHash: hash, tag: ActivityTag(0x89))).encode()),
                typeHash: hash.description,
                activityTag: 0x89
            ),
            Case(
                what: "asks for a stream",
                message: "Request",
                bytes: hex(Request.stream(StreamRequest(activity: 0x0123_4567_0000_002A)).encode()),
                streamName: "81985526906748970"
            ),
            Case(what: "grants a stream", message: "Answer", bytes: hex(Answer.stream.encode())),
            Case(
                what: "has confirmed a pairing, and asks how it has ended",
                message: "Request",
                bytes: hex(Request.settle(SettleRequest(pairing: pairing, advertisingKey: key)).encode()),
                pairing: hex(pairing),
                advertisingKey: hex(key)
            ),
            Case(
                what: "has not confirmed a pairing, and says so",
                message: "Request",
                bytes: hex(Request.settle(SettleRequest(pairing: pairing, advertisingKey: nil)).encode()),
                pairing: hex(pairing)
            ),
            Case(
                what: "has confirmed it too",
                message: "Answer",
                bytes: hex(Answer.settled(advertisingKey: key).encode()),
                advertisingKey: hex(key)
            ),
            Case(what: "has it all", message: "Acknowledgement", bytes: hex(Acknowledgement().encode())),
        ]
        let refusals = [
            Refusal(.noLongerCurrent, "It is not current any more."),
            Refusal(.busy, ""),
            Refusal(.noSuchActivity, "The activity has ended."),
            Refusal(.streamsNotSupported, "Its app takes no continuation streams."),
            Refusal(.notPaired, "Nobody here has confirmed the pairing."),
            Refusal(.init(rawValue: 300), "Ü"),
        ]
        for refusal in refusals {
            var vector = Case(what: "refuses", message: "Answer", bytes: hex(Answer.refusal(refusal).encode()))
            vector.refusalCode = refusal.code.rawValue
            vector.refusalMessage = refusal.message
            cases.append(vector)
        }
        let activities = [
            ("an activity of only a type", try Activity(type: .browsingWeb)),
            ("an empty title is not an absent one", try Activity(type: .browsingWeb, title: "")),
            ("every property and every kind of value", try SampleActivities.everything()),
            ("values as deep as may be", try SampleActivities.deepest()),
        ]
        for (what, activity) in activities {
            var vector = Case(what: what, message: "Answer", bytes: hex(Answer.activity(activity).encode()))
            vector.activity = DescribedValue(activity)
            cases.append(vector)
        }
        return cases
    }

    private static func refused() -> [Case] {
        let inputs = [
            ("a request of an unknown kind", "Request", "7a00", "unknownKind"),
            ("a type hash of five bytes", "Request", "0a0a0a050123456789120189", "invalidContent"),
            ("a request without an activity tag", "Request", "0a060a0401234567", "malformed"),
            ("an activity tag of two bytes", "Request", "0a0a0a040123456712028901", "malformed"),
            ("an answer of an unknown kind", "Answer", "7a00", "unknownKind"),
            ("an activity without a type", "Answer", "0a00", "invalidContent"),
            ("a file address as a web page", "Answer", "0a100a03612e621a0966696c653a2f2f2f61", "invalidContent"),
            ("a set with 1 twice", "Answer", "0a160a03612e62220f0a016b120a62080a0218020a021802", "invalidContent"),
            ("a value of an unknown kind", "Answer", "0a0e0a03612e6222070a016b12027a00", "unknownKind"),
            ("a length beyond the end", "Answer", "0a7f0a03612e62", "malformed"),
        ]
        return inputs.map { what, message, bytes, error in
            Case(what: what, message: message, bytes: bytes, error: error)
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Messages of Handoff.proto (Docs/Protocol.md, "Messages"). `bytes` are hexadecimal. In `activity` every \
                value is an object whose one member is named like its kind; numbers are decimal text, reals their 64 \
                bits, data hexadecimal. A vector with `error` must be refused.
                """,
            cases: try Self.valid() + Self.refused()
        )
        try file.storeIfAsked("messages")
        #expect(try VectorFile<Case>.load("messages") == file)
    }

    @Test("Every published vector is decoded to its published contents")
    func read() throws {
        for vector in try VectorFile<Case>.load("messages").cases {
            var read = Case(what: vector.what, message: vector.message, bytes: vector.bytes)
            do throws(WireError) {
                try describe(bytes(vector.bytes), in: &read)
            } catch {
                read.error = error.code.description
            }
            #expect(read == vector)
        }
    }

    private func describe(_ bytes: [UInt8], in vector: inout Case) throws(WireError) {
        switch vector.message {
        case "Request":
            switch try Request(decoding: bytes) {
            case .fetch(let request):
                vector.typeHash = request.typeHash.description
                vector.activityTag = request.tag.rawValue
            case .circle: break
            case .stream(let request): vector.streamName = "\(request.activity)"
            case .settle(let request):
                vector.pairing = hex(request.pairing)
                vector.advertisingKey = request.advertisingKey.map { hex($0) }
            }
        case "Answer":
            switch try Answer(decoding: bytes) {
            case .activity(let activity): vector.activity = DescribedValue(activity)
            case .refusal(let refusal):
                vector.refusalCode = refusal.code.rawValue
                vector.refusalMessage = refusal.message
            case .circle, .stream: break
            case .settled(let key): vector.advertisingKey = hex(key)
            }
        default:
            _ = try Acknowledgement(decoding: bytes)
        }
    }
}
