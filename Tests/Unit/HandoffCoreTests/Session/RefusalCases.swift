import HandoffCore
import HandoffModel
import HandoffTestVectors
import HandoffWire

/// The sessions of Docs/vectors/refusals.json: each breaks one rule with its last bytes, or keeps to one that a reader
/// might take too strictly.
struct RefusalCase: Sendable {
    let what: String
    /// The side that reads what is wrong.
    let reader: RefusalScript.Side
    /// Nil when the last bytes are allowed.
    let error: ProtocolViolation?
    /// Whether the caller goes on with the activity.
    var isTake = false
    let steps: [RefusalScript.Step]

    typealias Step = RefusalScript.Step

    private init(_ what: String, _ reader: RefusalScript.Side, _ error: ProtocolViolation?, _ steps: [Step]) {
        self.what = what
        self.reader = reader
        self.error = error
        self.steps = steps
    }

    static func all() throws -> [RefusalCase] {
        try greetings + firstMessages() + answers() + cutAnswers() + acknowledgements() + reports()
    }

    // MARK: What the caller reads

    private static let greetings = [
        RefusalCase("a greeting of 15 bytes", .caller, .invalidGreeting, [.raw(.listener, frame(15))]),
        RefusalCase("a greeting of 17 bytes", .caller, .longFrame, [.raw(.listener, [0, 17])]),
        RefusalCase("an empty frame in the place of the greeting", .caller, .emptyFrame, [.raw(.listener, [0, 0])]),
    ]

    private static func answers() throws -> [RefusalCase] {
        let padded = padded(try answer(), least: 1024)
        func reading(_ what: String, _ error: ProtocolViolation?, _ steps: Step...) throws -> RefusalCase {
            RefusalCase(what, .caller, error, [.greet, .send(.caller, try request())] + steps)
        }
        func holding(_ what: String, _ error: ProtocolViolation?, _ plaintext: [UInt8]) throws -> RefusalCase {
            try reading(what, error, .send(.listener, plaintext))
        }
        return [
            try reading("an answer with a changed bit", .undecryptable, .alter(.listener, [0] + padded)),
            try reading("an answer of 47 bytes, too short for a handshake", .undecryptable, .raw(.listener, frame(47))),
            try reading("an empty frame in the place of the answer", .emptyFrame, .raw(.listener, [0, 0])),
            try reading("the caller's own request, sent back", .undecryptable, .reflect(.listener)),
            try reading(
                "an answer whose ephemeral key is of low order",
                .weakKey,
                .raw(.listener, [0, 80] + [UInt8](repeating: 0, count: 80))
            ),
            try reading(
                "a message after the answer",
                .outOfTurn,
                .send(.listener, [0] + padded),
                .send(.listener, [0] + padded)
            ),
            try holding("an answer without a flag", .invalidFragment, []),
            try holding("an answer with the flag 2", .invalidFragment, [2] + padded),
            try holding("an answer without padding", .invalidPadding, [0] + (try answer())),
            try holding("an answer in 1025 bytes", .invalidPadding, [0] + padded + [0]),
            try holding("an answer whose padding ends in 1", .invalidPadding, [0] + padded.dropLast() + [1]),
            try holding(
                "an answer whose length is 1021 of 1024 bytes",
                .invalidPadding,
                [0] + lengthened(padded, 1021)
            ),
            try holding("an answer of length 0 with bytes of a message", .invalidPadding, [0] + lengthened(padded, 0)),
            try holding("an answer of no kind", .unknownKind, [0] + Self.padded([], least: 1024)),
            try holding("an answer that ends in a field", .malformed, [0] + Self.padded([0x0A, 5, 1], least: 1024)),
            try holding(
                "an answer with an advertising key of 43 bytes",
                .invalidContent,
                [0] + Self.padded([0x32, 45, 0x0A, 43] + [UInt8](repeating: 7, count: 43), least: 1024)
            ),
            try holding("an answer that is padded more than needed", nil, [0] + Self.padded(try answer(), least: 4096)),
        ]
    }

    /// An answer of 1024 bytes in four fragments.
    private static func cutAnswers() throws -> [RefusalCase] {
        let padded = padded(try answer(), least: 1024)
        let pieces = MessageFragmenter(fragmentBytes: 300).fragments(of: padded).map { Array($0.dropFirst()) }
        func reading(_ what: String, _ error: ProtocolViolation?, _ steps: [Step]) throws -> RefusalCase {
            RefusalCase(
                "in fragments: " + what,
                .caller,
                error,
                [.greet, .send(.caller, try request()), .send(.listener, [1] + pieces[0])] + steps
            )
        }
        let second = Step.send(.listener, [1] + pieces[1])
        let third = Step.send(.listener, [1] + pieces[2])
        let last = Step.send(.listener, [0] + pieces[3])
        return [
            try reading("the second has a changed bit", .undecryptable, [.alter(.listener, [1] + pieces[1])]),
            try reading(
                "the third comes before the second",
                .undecryptable,
                [.lose(.listener, [1] + pieces[1]), third]
            ),
            try reading("the second comes twice", .undecryptable, [second, .again(.listener)]),
            try reading("the first comes twice", .undecryptable, [.again(.listener)]),
            try reading(
                "a frame of 15 bytes, too short for a tag",
                .undecryptable,
                [second, .raw(.listener, frame(15))]
            ),
            try reading("an empty frame", .emptyFrame, [second, .raw(.listener, [0, 0])]),
            try reading("the second has no flag", .invalidFragment, [.send(.listener, [])]),
            try reading("the second has the flag 255", .invalidFragment, [.send(.listener, [255] + pieces[1])]),
            try reading("the second holds nothing", .invalidFragment, [.send(.listener, [1])]),
            try reading("the second is marked as the last", .invalidPadding, [.send(.listener, [0] + pieces[1])]),
            try reading(
                "a refusal in the middle",
                .invalidPadding,
                [.send(.listener, [0] + Self.padded(try refusal(), least: 1024))]
            ),
            try reading(
                "the last is a byte short",
                .invalidPadding,
                [second, third, .send(.listener, [0] + pieces[3].dropLast())]
            ),
            try reading(
                "the last ends in 1",
                .invalidPadding,
                [second, third, .send(.listener, [0] + pieces[3].dropLast() + [1])]
            ),
            try reading("another after the last", .outOfTurn, [second, third, last, .send(.listener, [0])]),
            try reading("the last holds nothing", nil, [second, third, .send(.listener, [1] + pieces[3]), empty]),
        ]
    }

    // MARK: What the listener reads

    private static func firstMessages() throws -> [RefusalCase] {
        let request = try request()
        func reading(_ what: String, _ error: ProtocolViolation?, _ steps: Step...) -> RefusalCase {
            RefusalCase(what, .listener, error, [.greet] + steps)
        }
        func holding(_ what: String, _ error: ProtocolViolation?, _ plaintext: [UInt8]) -> RefusalCase {
            reading(what, error, .send(.caller, plaintext))
        }
        let padded = request.dropFirst()
        return [
            reading("an empty frame in the place of the first message", .emptyFrame, .raw(.caller, [0, 0])),
            reading("the length of a first frame of 1074 bytes", .longFrame, .raw(.caller, [0x04, 0x32])),
            reading("a first message of 47 bytes, too short for a handshake", .undecryptable, .raw(.caller, frame(47))),
            reading("a first message with a changed bit", .unknownCaller, .alter(.caller, request)),
            reading("a first message of another session", .unknownCaller, .replay(request)),
            reading("a first message of a device that the listener does not know", .unknownCaller, .intrude(request)),
            reading(
                "a first message whose ephemeral key is of low order",
                .weakKey,
                .raw(.caller, [0, 113] + [UInt8](repeating: 0, count: 113))
            ),
            reading("a message before the answer", .outOfTurn, .send(.caller, request), .again(.caller)),
            holding("a request without a flag", .invalidFragment, []),
            holding("a request with the flag 2", .invalidFragment, [2] + padded),
            holding("a request that more fragments are to follow", .invalidFragment, [1] + padded),
            holding("a request of a flag alone", .invalidPadding, [0]),
            holding("a request without padding", .invalidPadding, [0] + (try fetch().encode())),
            holding("a request in 63 bytes", .invalidPadding, [0] + padded.dropLast()),
            holding("a request whose padding ends in 1", .invalidPadding, [0] + padded.dropLast() + [1]),
            holding("a request whose length is 61 of 64 bytes", .invalidPadding, [0] + lengthened(Array(padded), 61)),
            holding(
                "a request in 1024 bytes, the longest first frame",
                nil,
                [0] + Self.padded(try fetch().encode(), least: 1024)
            ),
        ]
    }

    private static func acknowledgements() throws -> [RefusalCase] {
        let padded = padded(Acknowledgement().encode(), least: 64)
        let answer = [0] + Self.padded(try answer(), least: 1024)
        func reading(_ what: String, _ error: ProtocolViolation?, _ steps: Step...) throws -> RefusalCase {
            let before: [Step] = [.greet, .send(.caller, try request()), .send(.listener, answer)]
            return RefusalCase(what, .listener, error, before + steps)
        }
        func holding(_ what: String, _ error: ProtocolViolation?, _ plaintexts: [UInt8]...) throws -> RefusalCase {
            let before: [Step] = [.greet, .send(.caller, try request()), .send(.listener, answer)]
            return RefusalCase(what, .listener, error, before + plaintexts.map { .send(.caller, $0) })
        }
        let (first, rest) = (Array(padded.prefix(40)), Array(padded.dropFirst(40)))
        return [
            try reading("an acknowledgement with a changed bit", .undecryptable, .alter(.caller, [0] + padded)),
            try reading("a frame of 15 bytes, too short for a tag", .undecryptable, .raw(.caller, frame(15))),
            try reading(
                "an acknowledgement after one that was lost",
                .undecryptable,
                .lose(.caller, [0] + padded),
                .send(.caller, [0] + padded)
            ),
            try reading("an empty frame after the answer", .emptyFrame, .raw(.caller, [0, 0])),
            try holding("a message after the acknowledgement", .outOfTurn, [0] + padded, [0] + padded),
            try holding("an acknowledgement with the flag 2", .invalidFragment, [2] + padded),
            try holding("an acknowledgement of a flag alone", .invalidPadding, [0]),
            try holding("an acknowledgement without its second fragment", .invalidPadding, [0] + first),
            try holding(
                "an acknowledgement whose second fragment has the flag 2",
                .invalidFragment,
                [1] + first,
                [2] + rest
            ),
            try holding("an acknowledgement in 2048 bytes", .tooLarge, [0] + Self.padded([], least: 2048)),
            try holding(
                "an acknowledgement in fragments of 600 bytes, more of which are to follow",
                .tooLarge,
                [1] + [UInt8](repeating: 0, count: 600),
                [1] + [UInt8](repeating: 0, count: 600)
            ),
            try holding(
                "an acknowledgement with an advertising key of 45 bytes",
                .invalidContent,
                [0] + Self.padded([0x12, 47, 0x0A, 45] + [UInt8](repeating: 7, count: 45), least: 64)
            ),
            try holding("an acknowledgement of wire type 7", .malformed, [0] + Self.padded([0x0F], least: 64)),
            try holding("the longest acknowledgement", nil, [0] + Self.padded(longest, least: 64)),
            try holding("an acknowledgement in 1024 bytes", nil, [0] + Self.padded([], least: 1024)),
            try holding("an acknowledgement in two fragments", nil, [1] + first, [0] + rest),
        ]
    }

    private static func reports() throws -> [RefusalCase] {
        let report = TakeReport(try take(), .continued(.browser)).encode()
        func holding(_ what: String, _ error: ProtocolViolation?, _ plaintext: [UInt8]) throws -> RefusalCase {
            var refusal = RefusalCase(
                what,
                .listener,
                error,
                [
                    .greet, .send(.caller, [0] + padded(try fetch(.take(try take())).encode(), least: 64)),
                    .send(.listener, [0] + padded(try answer(), least: 1024)),
                    .send(.caller, [0] + padded(Acknowledgement().encode(), least: 64)), .send(.caller, plaintext),
                ]
            )
            refusal.isTake = true
            return refusal
        }
        return [
            try holding("a report in 2048 bytes", .tooLarge, [0] + padded(report, least: 2048)),
            try holding("a report of no take", .invalidContent, [0] + padded([], least: 64)),
            try holding("a report in 1024 bytes", nil, [0] + padded(report, least: 1024)),
        ]
    }

    // MARK: Messages

    /// 1020 bytes of an unknown field.
    private static let longest = ProtobufBytes.field(100, [UInt8](repeating: 7, count: 1016))

    private static let empty = Step.send(.listener, [0])

    private static func take() throws -> TakeID { try TakeID(bytes: [UInt8](1...8)) }

    private static func fetch(_ purpose: FetchRequest.Purpose = .preview) throws -> Request {
        .fetch(
            FetchRequest(number: .at(5), purpose: purpose)
        )
    }

    /// What the caller asks for.
    func request() throws -> Request { try Self.fetch(isTake ? .take(try Self.take()) : .preview) }

    private static func request() throws -> [UInt8] { [0] + padded(try fetch().encode(), least: 64) }

    /// What the listener answers.
    static func activity() throws -> Answer {
        .activity(try Activity(type: ActivityType("a.b"), title: "title"))
    }

    private static func answer() throws -> [UInt8] { try activity().encode() }

    private static func refusal() throws -> [UInt8] { Answer.refusal(Refusal(.noLongerCurrent, "Gone.")).encode() }

    private static func padded(_ message: [UInt8], least: Int) -> [UInt8] {
        MessagePadding.pad(message, toAtLeast: least)
    }

    /// The same with another length, below 65 536, in front.
    private static func lengthened(_ padded: [UInt8], _ length: Int) -> [UInt8] {
        [0, 0, UInt8(length >> 8), UInt8(length & 0xFF)] + padded.dropFirst(4)
    }

    /// A frame of that many bytes.
    private static func frame(_ count: Int) -> [UInt8] { FrameCodec.encode([UInt8](repeating: 0x5A, count: count)) }
}
