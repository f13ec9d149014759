import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Message vectors", .endsWithin(minutes: 10))
struct MessageVectorTests {
    private typealias Case = MessageVector

    private static func valid() throws -> [Case] {
        let (pairing, key, digest) = ([UInt8](1...8), [UInt8](0x20..<0x4C), [UInt8](0x60..<0x80))
        var cases = [
            Case(
                what: "asks for a stream",
                message: "Request",
                bytes: hex(Request.stream(StreamRequest(activity: 0x0123_4567_0000_002A)).encode()),
                streamName: "81985526906748970"
            ),
            Case(
                what: "asks for the circle",
                message: "Request",
                bytes: hex(Request.circle(CircleRequest(digest: digest)).encode()),
                circleDigest: hex(digest)
            ),
            Case(what: "grants a stream", message: "Answer", bytes: hex(Answer.stream.encode())),
            Case(
                what: "has confirmed a pairing, and asks how it has ended",
                message: "Request",
                bytes: hex(Request.settle(SettleRequest(pairing: pairing, isConfirmed: true)).encode()),
                pairing: hex(pairing),
                isConfirmed: true
            ),
            Case(
                what: "has not confirmed a pairing, and says so",
                message: "Request",
                bytes: hex(Request.settle(SettleRequest(pairing: pairing, isConfirmed: false)).encode()),
                pairing: hex(pairing),
                isConfirmed: false
            ),
            Case(
                what: "has confirmed it too",
                message: "Answer",
                bytes: hex(Answer.settled(advertisingKey: key).encode()),
                advertisingKey: hex(key)
            ),
            Case(what: "has it all", message: "Acknowledgement", bytes: hex(Acknowledgement().encode())),
            Case(
                what: "is paired, and tells its key",
                message: "Acknowledgement",
                bytes: hex(Acknowledgement(advertisingKey: key).encode()),
                advertisingKey: hex(key)
            ),
        ]
        let current = CurrentActivity(
            AdvertisedActivity(
                typeHash: try ActivityTypeHash(bytes: [0x01, 0x23, 0x45, 0x67]),
                number: AdvertisementNumber(slot: 1_994_702, lowNineBits: 0x14A)
            ),
            hasWebpage: true,
            hasDocument: false
        )
        let refusals = [
            Refusal(.noLongerCurrent, "It is not current any more."),
            Refusal(.noLongerCurrent, "Another one is current.", current: current),
            Refusal(.busy, ""),
            Refusal(.noSuchActivity, "The activity has ended."),
            Refusal(.streamsNotSupported, "Its app takes no continuation streams."),
            Refusal(.notPaired, "Nobody here has confirmed the pairing."),
            Refusal(.init(rawValue: 300), "Ü"),
        ]
        cases += try takes()
        for refusal in refusals {
            var vector = Case(what: "refuses", message: "Answer", bytes: hex(Answer.refusal(refusal).encode()))
            vector.refusalCode = refusal.code.rawValue
            vector.refusalMessage = refusal.message
            vector.current = refusal.current.map(Case.Current.init)
            cases.append(vector)
        }
        for (what, bytes) in ignored {
            var vector = Case(what: what, message: "Answer", bytes: bytes)
            (vector.refusalCode, vector.refusalMessage) = (bytes.hasPrefix("120a0803") ? 3 : 1, "")
            cases.append(vector)
        }
        let activities = [
            ("an activity of only a type", try Activity(type: .browsingWeb)),
            ("an empty title is not an absent one", try Activity(type: .browsingWeb, title: "")),
            ("every property and every kind of value", try SampleActivities.everything()),
            ("values as deep as may be", try SampleActivities.deepest()),
            (
                "keys keep their spelling, whichever of Unicode's it is",
                try Activity(type: .browsingWeb, userInfo: ["e\u{301}": .null, "\u{E8}": .null])
            ),
        ]
        for (what, activity) in activities {
            var vector = Case(what: what, message: "Answer", bytes: hex(Answer.activity(activity).encode()))
            vector.activity = DescribedValue(activity)
            cases.append(vector)
        }
        return cases
    }

    /// The purposes of a fetch, and the reports on a take.
    private static func takes() throws -> [Case] {
        let take = try TakeID(bytes: Array(0xA0..<0xA8))
        let fetches: [(String, FetchRequest.Purpose)] = [
            ("looks at the activity", .preview),
            ("looks at the activity after its app has saved", .preview(isFresh: true)),
            ("goes on with the activity", .take(take)),
        ]
        var cases = fetches.map { what, purpose in
            let number = AdvertisementNumber(slot: 1_994_702, lowNineBits: 0x149)
            let request = Request.fetch(FetchRequest(number: number, purpose: purpose))
            var vector = Case(what: what, message: "Request", bytes: hex(request.encode()))
            (vector.slot, vector.number) = (number.slot, number.index)
            (vector.purpose, vector.take) = (purpose.name, purpose.take.map { hex($0.bytes) })
            return vector
        }
        let outcomes =
            TakeOutcome.Kind.allCases.map(TakeOutcome.continued) + TakeOutcome.Reason.allCases.map(TakeOutcome.failed)
        for report in outcomes.map({ TakeReport(take, $0) }) {
            let inSession = Case(what: "reports, in the session", message: "TakeReport", bytes: hex(report.encode()))
            cases.append(inSession.with(report))
            let later = Request.report(report).encode()
            cases.append(Case(what: "reports, in a later session", message: "Request", bytes: hex(later)).with(report))
        }
        cases.append(Case(what: "has noted a report", message: "Answer", bytes: hex(Answer.noted.encode())))
        let newer = [
            ("goes on in a newer way", "0a08a0a1a2a3a4a5a6a71202084d", TakeOutcome.continued(.app)),
            ("fails for a newer reason", "0a08a0a1a2a3a4a5a6a71a02084d", .failed(.failed)),
        ]
        return cases
            + newer.map { what, bytes, outcome in
                Case(what: what, message: "TakeReport", bytes: bytes).with(TakeReport(take, outcome))
            }
    }

    /// Refusals that hold, whose current activity a reader ignores.
    private static let ignored = [
        ("refuses, with a type hash of three bytes", "120b08011a070a03012345" + "1004"),
        ("refuses, with a number above 511", "120d08011a090a0401234567" + "188004"),
        ("is busy, and tells what is current", "120a08031a060a0401234567"),
    ]

    private static func refused() -> [Case] {
        let inputs = [
            ("a request of an unknown kind", "Request", "7a00", "unknownKind"),
            ("a number above 511", "Request", "0a0708041080041a00", "invalidContent"),
            ("a fetch without a purpose", "Request", "0a0408041009", "unknownKind"),
            ("a fetch of a newer purpose", "Request", "0a06080410097a00", "unknownKind"),
            ("a take with an id of seven bytes", "Request", "0a0f0804100922090a0701020304050607", "invalidContent"),
            ("a take without an id", "Request", "0a06080410092200", "invalidContent"),
            ("a report without an outcome", "Request", "2a0a0a080102030405060708", "unknownKind"),
            ("a report without a take", "Request", "2a041a020803", "invalidContent"),
            ("a report on a take of nine bytes", "TakeReport", "0a090102030405060708091200", "invalidContent"),
            ("a report of an unknown outcome", "TakeReport", "0a0801020304050607087a00", "unknownKind"),
            ("an empty report", "TakeReport", "", "invalidContent"),
            ("a truncated report", "TakeReport", "0a0801", "malformed"),
            ("an answer of an unknown kind", "Answer", "7a00", "unknownKind"),
            ("an activity without a type", "Answer", "0a00", "invalidContent"),
            ("a file address as a web page", "Answer", "0a100a03612e621a0966696c653a2f2f2f61", "invalidContent"),
            ("a set with 1 twice", "Answer", "0a160a03612e62220f0a016b120a62080a0218020a021802", "invalidContent"),
            ("a value of an unknown kind", "Answer", "0a0e0a03612e6222070a016b12027a00", "unknownKind"),
            ("a pairing's identifier of seven bytes", "Request", "22090a0701020304050607", "invalidContent"),
            ("a paired device's acknowledgement without its key", "Acknowledgement", "1200", "invalidContent"),
            ("a paired device's acknowledgement with a short key", "Acknowledgement", "12030a0109", "invalidContent"),
            ("a key of one byte", "Answer", "32030a0107", "invalidContent"),
            ("a URL without a scheme", "Answer", "0a0e0a03612e6222070a016b12024a00", "invalidContent"),
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
                bits, data hexadecimal, and the elements of a set in any order; of a circle, `statements` is how many there \
                are. `written` is what a writer writes who says the same, where those are other bytes. A vector with \
                `error` must be refused.
                """,
            cases: try (Self.valid() + Self.refused()).map { $0.withWritten() }
                + MessageRuleCases.accepted.map { Case(reading: $0.what, $0.message, $0.bytes) }
                + MessageRuleCases.refused.map {
                    Case(what: $0.what, message: $0.message, bytes: hex($0.bytes), error: $0.error)
                }
        )
        try file.storeIfAsked("messages")
        #expect(try VectorFile<Case>.load("messages") == file)
    }

    @Test("Every published vector is decoded to its published contents")
    func read() throws {
        for vector in try VectorFile<Case>.load("messages").cases {
            #expect(Case(reading: vector.what, vector.message, bytes(vector.bytes)) == vector)
        }
    }

    @Test("Why a message is refused is told in a sentence without a word of Swift")
    func sentences() throws {
        let refused = try VectorFile<Case>.load("messages").cases.filter { $0.error != nil }
        #expect(refused.count > 80)
        for vector in refused {
            let error = #expect(throws: WireError.self) { try Self.read(bytes(vector.bytes), as: vector.message) }
            let sentence = error?.message ?? ""
            #expect(swiftWords(in: sentence).isEmpty && sentence.hasSuffix("."), "\(vector.what): \(sentence)")
        }
    }

    private static func read(_ bytes: [UInt8], as message: String) throws(WireError) {
        switch message {
        case "Request": _ = try Request(decoding: bytes)
        case "Answer": _ = try Answer(decoding: bytes)
        case "TakeReport": _ = try TakeReport(decoding: bytes)
        default: _ = try Acknowledgement(decoding: bytes)
        }
    }

    @Test("The outcome of a take is told in words")
    func outcomes() {
        let outcomes =
            TakeOutcome.Kind.allCases.map(TakeOutcome.continued) + TakeOutcome.Reason.allCases.map(TakeOutcome.failed)
        for outcome in outcomes { #expect(swiftWords(in: "\(outcome)").isEmpty, "\(outcome)") }
        #expect(Set(outcomes.map(\.description)).count == outcomes.count)
    }
}
