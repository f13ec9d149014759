import HandoffCrypto
import HandoffTestVectors
import HandoffWire

/// A message that ends a pairing, and one that might have been sent in its place.
struct PairingRefusalCase {
    typealias Step = PairingRefusalScript.Step

    let what: String
    let reader: PairingSide
    /// What happens before.
    let before: [Step]
    let refused: Step
    let instead: Step

    private init(_ what: String, _ reader: PairingSide, _ before: [Step], _ refused: Step, instead: Step) {
        self.what = what
        self.reader = reader
        self.before = before
        self.refused = refused
        self.instead = instead
    }

    static func all() throws -> [PairingRefusalCase] {
        try openings() + answers() + introductions() + messages() + choices() + withdrawals() + numbers() + outcomes()
    }

    // What both sides have sent up to a message of the other side.
    private static let introduced: [PairingSide: [Step]] = [
        .caller: [.answer, .introduction], .listener: [.opening, .introduction],
    ]

    private static func chosen(_ reader: PairingSide) -> [Step] {
        (introduced[reader] ?? []) + [.reader(.choose), .message(.choice)]
    }

    private static func compared(_ reader: PairingSide) -> [Step] {
        chosen(reader) + (reader == .caller ? [.number] : [.commitment, .number])
    }

    private static let key = [UInt8](repeating: 0x15, count: 44)
    private static let confirmation = Step.message(.confirmation(advertisingKey: key))
    private static let emptyFrame = Step.bytes([0, 0])
    /// 561 bytes are announced.
    private static let longFrame = Step.bytes([0x02, 0x31])

    // MARK: The handshake

    private static func openings() throws -> [PairingRefusalCase] {
        let tokens = try PairingVectorKeys.published.mapValues { try $0.pairingToken }
        guard let caller = tokens[.caller], let listener = tokens[.listener] else { return [] }
        let weak = [UInt8](repeating: 0, count: 32) + PairingOpening(caller: caller, listener: listener).encode()
        func tagged(_ field: UInt8, _ bytes: [UInt8]) -> [UInt8] { [field << 3 | 2, UInt8(bytes.count)] + bytes }
        let refused: [(String, Step)] = [
            ("an opening for another device", .payload(PairingOpening(caller: caller, listener: caller).encode())),
            (
                "an opening with the listener's own token",
                .payload(PairingOpening(caller: listener, listener: listener).encode())
            ),
            ("an opening without tokens", .payload([])),
            (
                "an opening with a token of eight bytes",
                .payload(tagged(1, Array(caller.bytes.dropLast())) + tagged(2, listener.bytes))
            ),
            ("an opening that ends in a field", .payload(tagged(1, caller.bytes) + [0x12, 9, 1])),
            ("an opening that is too short for a key", .bytes(FrameCodec.encode([UInt8](repeating: 1, count: 31)))),
            ("an opening whose key is of low order", .bytes(FrameCodec.encode(weak))),
            ("an empty frame in the place of the opening", emptyFrame),
            ("the length of an opening of 561 bytes", longFrame),
        ]
        return refused.map { PairingRefusalCase($0, .listener, [], $1, instead: .opening) }
    }

    private static func answers() -> [PairingRefusalCase] {
        let refused: [(String, Step)] = [
            ("an answer with a changed bit", .changed(.answer)),
            ("an answer that is too short for a tag", .bytes(FrameCodec.encode([UInt8](repeating: 1, count: 47)))),
            ("an answer whose key is of low order", .bytes(FrameCodec.encode([UInt8](repeating: 0, count: 48)))),
            ("an empty frame in the place of the answer", emptyFrame),
            ("the length of an answer of 561 bytes", longFrame),
        ]
        return refused.map { PairingRefusalCase($0, .caller, [], $1, instead: .answer) }
    }

    private static func introductions() -> [PairingRefusalCase] {
        PairingSide.allCases.flatMap { reader -> [PairingRefusalCase] in
            let before = Array((introduced[reader] ?? []).dropLast())
            let refused: [(String, Step)] = [
                ("a choice before the introduction", .message(.choice)),
                ("the end before the introduction", .message(.done)),
                ("an introduction with a changed bit", .changed(.introduction)),
                ("an introduction without contents", .plaintext([0x0A, 0])),
                ("an empty frame in the place of the introduction", emptyFrame),
            ]
            let longName = PairingRefusalCase(
                "an introduction with a name of 257 bytes, where 256 may be, to the \(reader.rawValue)",
                reader,
                before,
                .named(bytes: 257),
                instead: .named(bytes: 256)
            )
            return refused.map {
                PairingRefusalCase("\($0), to the \(reader.rawValue)", reader, before, $1, instead: .introduction)
            } + [longName]
        }
    }

    // MARK: Messages

    private static func messages() -> [PairingRefusalCase] {
        let before = introduced[.listener] ?? []
        // A choice of that many bytes, with an unknown field.
        func long(_ count: Int) -> Step {
            .plaintext([0x12, 0] + ProtobufBytes.field(15, [UInt8](repeating: 1, count: count - 5)))
        }
        let refused: [(String, Step)] = [
            ("an introduction for the second time", .introduction),
            ("the introduction, repeated", .repeated),
            ("a choice with a changed bit", .changed(.message(.choice))),
            ("a frame of 15 bytes, too short for a tag", .bytes(FrameCodec.encode([UInt8](repeating: 1, count: 15)))),
            ("an empty frame after the introduction", emptyFrame),
            ("the length of a frame of 561 bytes", longFrame),
            ("a message of no kind", .plaintext([])),
            ("a message of an unknown kind", .plaintext([0x7A, 0])),
            ("a message that ends in a field", .plaintext([0x12, 5])),
        ]
        return refused.map { PairingRefusalCase($0, .listener, before, $1, instead: .message(.choice)) } + [
            PairingRefusalCase(
                "a choice of 513 bytes, where 512 may be",
                .listener,
                before,
                long(513),
                instead: long(512)
            )
        ]
    }

    private static func choices() -> [PairingRefusalCase] {
        let (listener, caller) = (introduced[.listener] ?? [], introduced[.caller] ?? [])
        let choice = Step.message(.choice)
        return [
            PairingRefusalCase(
                "a choice, twice",
                .listener,
                listener + [choice],
                choice,
                instead: .message(.withdrawal)
            ),
            PairingRefusalCase(
                "a withdrawal of no choice",
                .listener,
                listener,
                .message(.withdrawal),
                instead: choice
            ),
            PairingRefusalCase("the end of no withdrawal", .caller, caller, .message(.done), instead: choice),
            PairingRefusalCase("a confirmation before the choice", .caller, caller, confirmation, instead: choice),
            PairingRefusalCase(
                "a commitment before the listener has chosen",
                .listener,
                listener + [choice],
                .commitment,
                instead: .message(.withdrawal)
            ),
            PairingRefusalCase(
                "a commitment before the caller has chosen",
                .listener,
                listener + [.reader(.choose)],
                .commitment,
                instead: choice
            ),
            PairingRefusalCase(
                "a share before the caller has committed",
                .caller,
                caller + [.reader(.choose)],
                .number,
                instead: choice
            ),
            PairingRefusalCase(
                "a choice, twice, after a withdrawal that was answered",
                .caller,
                caller + [.reader(.choose), .reader(.withdraw), .message(.done), choice],
                choice,
                instead: .message(.withdrawal)
            ),
        ]
    }

    /// What may come while a choice is taken back, or after the other side has taken its own back.
    private static func withdrawals() -> [PairingRefusalCase] {
        let (caller, listener) = (introduced[.caller] ?? [], introduced[.listener] ?? [])
        let (choice, withdrawal) = (Step.message(.choice), Step.message(.withdrawal))
        let takingBack: [Step] = [.reader(.choose), .reader(.withdraw)]
        let inPlaces: [(String, PairingSide, [Step], Step)] = [
            ("of a second choice before the answer to a withdrawal", .caller, caller + takingBack + [choice], choice),
            (
                "of a commitment before the answer to a withdrawal", .listener, listener + takingBack + [choice],
                .commitment
            ),
            (
                "of a refusal before the answer to a withdrawal", .caller, caller + takingBack,
                .message(.refusal(.cancelled))
            ),
            ("of a withdrawal before the answer to a withdrawal", .caller, caller + takingBack + [choice], withdrawal),
            ("of a refusal after the introduction", .listener, listener, .message(.refusal(.notChosen))),
            ("of a withdrawal after the caller's commitment", .caller, chosen(.caller), withdrawal),
            ("of a number after a second commitment", .caller, chosen(.caller) + [withdrawal, choice], .number),
        ]
        return inPlaces.map { what, reader, before, instead in
            PairingRefusalCase("a changed bit in the place \(what)", reader, before, .changed(choice), instead: instead)
        }
    }

    // MARK: Numbers

    private static func numbers() -> [PairingRefusalCase] {
        let (listener, caller) = (chosen(.listener), chosen(.caller))
        let committed = listener + [.commitment]
        let other = Step.message(.reveal([UInt8](repeating: 1, count: 16)))
        return [
            PairingRefusalCase("a reveal before the commitment", .listener, listener, .number, instead: .commitment),
            PairingRefusalCase(
                "a share from the caller",
                .listener,
                listener,
                .message(.share([UInt8](repeating: 1, count: 16))),
                instead: .commitment
            ),
            PairingRefusalCase(
                "a commitment of 31 bytes",
                .listener,
                listener,
                .plaintext([0x1A, 31] + [UInt8](repeating: 1, count: 31)),
                instead: .commitment
            ),
            PairingRefusalCase("two commitments", .listener, committed, .commitment, instead: .number),
            PairingRefusalCase(
                "a share from the caller after its commitment",
                .listener,
                committed,
                .message(.share([UInt8](repeating: 1, count: 16))),
                instead: .number
            ),
            PairingRefusalCase("another number than the commitment's", .listener, committed, other, instead: .number),
            PairingRefusalCase(
                "a reveal of 15 bytes",
                .listener,
                committed,
                .message(.reveal([UInt8](repeating: 1, count: 15))),
                instead: .number
            ),
            PairingRefusalCase(
                "a withdrawal after the share",
                .listener,
                committed,
                .message(.withdrawal),
                instead: .number
            ),
            PairingRefusalCase("a commitment from the listener", .caller, caller, .commitment, instead: .number),
            PairingRefusalCase(
                "a share of 17 bytes",
                .caller,
                caller,
                .message(.share([UInt8](repeating: 1, count: 17))),
                instead: .number
            ),
            PairingRefusalCase(
                "a reveal from the listener",
                .caller,
                caller,
                .message(.reveal([UInt8](repeating: 1, count: 16))),
                instead: .number
            ),
            PairingRefusalCase("a confirmation before the share", .caller, caller, confirmation, instead: .number),
        ]
    }

    // MARK: The outcome

    private static func outcomes() -> [PairingRefusalCase] {
        PairingSide.allCases.flatMap { reader -> [PairingRefusalCase] in
            let compared = compared(reader)
            let confirmedThere = compared + [confirmation]
            let confirmedHere = compared + [.reader(.confirm)]
            let short = Step.message(.confirmation(advertisingKey: [UInt8](repeating: 0x15, count: 43)))
            let withdrawal = Step.message(.withdrawal)
            let refused: [(String, [Step], Step, Step)] = [
                ("a number, twice", compared, .number, confirmation),
                ("a withdrawal before the confirmation", compared, withdrawal, confirmation),
                ("the end before both confirmations", compared, .message(.done), confirmation),
                ("a confirmation with a key of 43 bytes", compared, short, confirmation),
                ("a confirmation, twice", confirmedThere, confirmation, withdrawal),
                ("a refusal after the confirmation", confirmedThere, .message(.refusal(.failed)), withdrawal),
                ("the end before the other confirmation", confirmedThere, .message(.done), withdrawal),
                ("the end after one confirmation of the reader", confirmedHere, .message(.done), confirmation),
                ("a withdrawal where only the reader has confirmed", confirmedHere, withdrawal, confirmation),
                ("a confirmation after both", confirmedHere + [confirmation], confirmation, withdrawal),
                (
                    "a refusal after both confirmations", confirmedHere + [confirmation], .message(.refusal(.failed)),
                    .message(.done)
                ),
                ("a number after one confirmation", confirmedHere, .number, .message(.refusal(.cancelled))),
                ("a choice at the digits", compared, .message(.choice), .message(.refusal(.digitsDiffer))),
            ]
            return refused.map { what, before, last, instead in
                PairingRefusalCase("\(what), to the \(reader.rawValue)", reader, before, last, instead: instead)
            }
        }
    }
}
