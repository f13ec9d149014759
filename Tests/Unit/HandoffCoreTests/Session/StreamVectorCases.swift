import HandoffCore
import HandoffCrypto

/// The conversations of stream.json.
extension StreamVectorTests {
    /// What is sent in a case, after the app's answer.
    struct Conversation {
        let what: String
        var error: ProtocolViolation?
        let pieces: [(by: String, bytes: [UInt8])]
        /// Whether the bytes of the last piece are sent as they are; all others get their length and padding.
        var isLastRaw = false
        /// Whether both sides begin with an empty offer.
        var offersNothing = true
        /// The side that opens a connection to which both move, and what is sent over it; nil where they do not.
        var network: (opener: String, pieces: [(by: String, bytes: [UInt8])])?
        /// What encrypts that connection.
        var cipher = NoiseCipher.chaChaPoly
    }

    private static let callerOffer = offer([4, 10, 9, 0, 2] + zeros(12) + [6, 0xFE, 0x80] + zeros(13) + [2], 1)
    private static let listenerOffer = offer([4, 10, 9, 0, 1], 2)

    /// An offer at port 40 000 with a secret of 32 such bytes, and these places.
    private static func offer(_ places: [UInt8], _ secret: UInt8, hasAES: UInt8 = 0) -> [UInt8] {
        let content = [3, 0x9C, 0x40] + [UInt8](repeating: secret, count: 32) + places
        return content + zeros(171 - content.count) + [hasAES]
    }

    static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    static let conversations = wholeConversations + offers

    private static let wholeConversations: [Conversation] = [
        Conversation(
            what: "data in both directions, and a clean end",
            pieces: [
                ("caller", [0, 0xAA, 0xBB]), ("listener", [0, 0xCC]), ("caller", [0, 0xDD]), ("listener", [0, 0xEE]),
                ("listener", [6]), ("caller", [6]), ("listener", [6]), ("caller", [6]),
                ("caller", [1]), ("listener", [1]), ("listener", [2]), ("caller", [2]),
            ]
        ),
        Conversation(
            what: "four pieces of data in transit, and another one after the first was taken",
            pieces: [
                ("caller", [0, 1]), ("caller", [0, 2]), ("caller", [0, 3]), ("caller", [0, 4]), ("listener", [6]),
                ("caller", [0, 5]), ("caller", [5]), ("listener", [5]),
            ]
        ),
        Conversation(
            what: "five pieces of data in transit",
            error: .outOfTurn,
            pieces: [
                ("caller", [0, 1]), ("caller", [0, 2]), ("caller", [0, 3]), ("caller", [0, 4]), ("caller", [0, 5]),
            ]
        ),
        Conversation(
            what: "a piece taken that was not sent",
            error: .outOfTurn,
            pieces: [("caller", [0, 1]), ("listener", [6]), ("listener", [6])]
        ),
        Conversation(
            what: "a piece taken after everything has arrived",
            error: .outOfTurn,
            pieces: [
                ("caller", [0, 1]), ("caller", [1]), ("listener", [1]), ("listener", [2]), ("listener", [6]),
            ]
        ),
        Conversation(
            what: "the listener ends first, and no data",
            pieces: [("listener", [1]), ("caller", [1]), ("listener", [2]), ("caller", [2])]
        ),
        Conversation(
            what: "the stream moves to a connection that the caller has opened",
            pieces: [
                ("listener", listenerOffer), ("caller", callerOffer), ("listener", [0, 0xAA]), ("listener", [0, 0xAB]),
                ("caller", [6]),
            ],
            offersNothing: false,
            network: (
                "caller",
                [
                    ("caller", [6]), ("caller", [5]), ("caller", [1]), ("listener", [0, 0xBB]), ("listener", [1]),
                    ("listener", [2]),
                    ("caller", [2]),
                ]
            )
        ),
        Conversation(
            what: "the stream moves to a connection that the listener has opened, after the caller has ended",
            pieces: [("caller", callerOffer), ("listener", listenerOffer), ("caller", [1])],
            offersNothing: false,
            network: ("listener", [("listener", [0] + [UInt8](repeating: 0xCC, count: 65_469)), ("listener", [1])])
        ),
        Conversation(
            what: "the stream moves to a connection with AES, which both sides have",
            pieces: [
                ("caller", offer([4, 10, 9, 0, 2], 1, hasAES: 1)), ("listener", offer([4, 10, 9, 0, 1], 2, hasAES: 1)),
            ],
            offersNothing: false,
            network: ("caller", [("caller", [0, 0xAA]), ("caller", [0, 0xAB]), ("listener", [0, 0xBB])]),
            cipher: .aesGCM
        ),
        Conversation(
            what: "the stream moves to a connection without AES, which only one side has",
            pieces: [("caller", offer([4, 10, 9, 0, 2], 1, hasAES: 1)), ("listener", listenerOffer)],
            offersNothing: false,
            network: ("caller", [("caller", [0, 0xAA]), ("listener", [0, 0xBB])])
        ),
        Conversation(
            what: "an offer that neither has nor lacks AES",
            error: .malformed,
            pieces: [("caller", offer([4, 10, 9, 0, 2], 1, hasAES: 2))],
            offersNothing: false
        ),
        Conversation(
            what: "an offer over the network",
            error: .outOfTurn,
            pieces: [("caller", callerOffer), ("listener", listenerOffer)],
            offersNothing: false,
            network: ("caller", [("caller", [3] + zeros(171))])
        ),
        Conversation(
            what: "a move over the network",
            error: .outOfTurn,
            pieces: [("caller", callerOffer), ("listener", listenerOffer)],
            offersNothing: false,
            network: ("listener", [("listener", [4] + zeros(16))])
        ),
        Conversation(
            what: "data before the offer",
            error: .outOfTurn,
            pieces: [("caller", [0, 1])],
            offersNothing: false
        ),
        Conversation(what: "two offers", error: .outOfTurn, pieces: [("caller", [3] + zeros(171))]),
        Conversation(
            what: "more data than a piece over the radio may have",
            error: .malformed,
            pieces: [("caller", [0] + [UInt8](repeating: 1, count: 8193))]
        ),
        Conversation(
            what: "an offer of port 22",
            error: .invalidContent,
            pieces: [("caller", [3, 0, 22] + callerOffer.dropFirst(3))],
            offersNothing: false
        ),
        Conversation(
            what: "an offer of the loopback interface",
            error: .invalidContent,
            pieces: [("listener", offer([4, 127, 0, 0, 1], 2))],
            offersNothing: false
        ),
        Conversation(
            what: "an offer of a multicast address",
            error: .invalidContent,
            pieces: [("listener", offer([6, 0xFF, 2] + zeros(13) + [0xFB], 2))],
            offersNothing: false
        ),
        Conversation(
            what: "an offer without an address",
            error: .invalidContent,
            pieces: [("caller", offer([], 1))],
            offersNothing: false
        ),
        Conversation(
            what: "an offer with an address of another kind",
            error: .malformed,
            pieces: [("caller", offer([7, 1], 1))],
            offersNothing: false
        ),
        Conversation(
            what: "an offer with nine addresses",
            error: .malformed,
            pieces: [("caller", callerOffer + [4, 10, 0, 0, 9] + zeros(12))],
            offersNothing: false
        ),
        Conversation(
            what: "as much data as a piece over the radio may have",
            pieces: [("caller", [0] + [UInt8](repeating: 1, count: 8192))]
        ),
        Conversation(
            what: "a sign of life after everything has arrived",
            pieces: [("caller", [1]), ("listener", [1]), ("listener", [2]), ("listener", [5])]
        ),
        Conversation(
            what: "a move to an identifier of 15 bytes",
            error: .malformed,
            pieces: [("caller", [4] + zeros(15))]
        ),
        Conversation(what: "data without bytes", error: .malformed, pieces: [("caller", [0])]),
        Conversation(what: "an empty piece", error: .malformed, pieces: [("caller", [])]),
        Conversation(what: "a piece of an unknown kind", error: .malformed, pieces: [("caller", [7])]),
        Conversation(what: "an end with data", error: .malformed, pieces: [("listener", [1, 0])]),
        Conversation(
            what: "an arrival with data",
            error: .malformed,
            pieces: [("listener", [1]), ("listener", [2, 0])]
        ),
        Conversation(
            what: "data after the end",
            error: .outOfTurn,
            pieces: [("listener", [1]), ("listener", [0, 1])]
        ),
        Conversation(what: "two ends", error: .outOfTurn, pieces: [("caller", [1]), ("caller", [1])]),
        Conversation(what: "an arrival before the end", error: .outOfTurn, pieces: [("listener", [2])]),
        Conversation(
            what: "a piece without padding",
            error: .invalidPadding,
            pieces: [("caller", [0, 0, 2, 7, 8])],
            isLastRaw: true
        ),
        Conversation(
            what: "a piece whose padding ends in 1",
            error: .invalidPadding,
            pieces: [("caller", padded([0, 7, 8]).dropLast() + [1])],
            isLastRaw: true
        ),
        Conversation(
            what: "a piece with 64 zeros more than needed",
            error: .invalidPadding,
            pieces: [("listener", padded([0, 7, 8]) + [UInt8](repeating: 0, count: 64))],
            isLastRaw: true
        ),
        Conversation(
            what: "a piece with a length beyond its end",
            error: .invalidPadding,
            pieces: [("listener", [0, 0, 62] + [UInt8](repeating: 0, count: 61))],
            isLastRaw: true
        ),
        Conversation(
            what: "a piece of two bytes",
            error: .malformed,
            pieces: [("caller", [0, 0])],
            isLastRaw: true
        ),
        Conversation(
            what: "two arrivals",
            error: .outOfTurn,
            pieces: [("listener", [1]), ("caller", [1]), ("listener", [2]), ("listener", [2])]
        ),
    ]

    /// Offers that break one rule each, or keep to one.
    private static let offers = offered.map { what, error, offer in
        Conversation(what: "an offer: \(what)", error: error, pieces: [("caller", offer)], offersNothing: false)
    }

    private static let offered: [(what: String, error: ProtocolViolation?, piece: [UInt8])] = [
        ("the lowest port", nil, [3, 4, 0] + callerOffer.dropFirst(3)),
        ("a port below the lowest", .invalidContent, [3, 3, 0xFF] + callerOffer.dropFirst(3)),
        ("no port", .invalidContent, [3, 0, 0] + callerOffer.dropFirst(3)),
        ("nothing but a secret", .invalidContent, [3, 0, 0] + [UInt8](repeating: 1, count: 32) + zeros(137)),
        ("nothing but AES", .invalidContent, [3] + zeros(170) + [1]),
        ("170 bytes", .malformed, Array(callerOffer.dropLast())),
        ("172 bytes", .malformed, callerOffer + [0]),
        ("a place that is left out", .malformed, offer(zeros(17) + [4, 10, 0, 0, 1], 1)),
        ("an unused place with an address", .malformed, offer([4, 10, 0, 0, 1] + zeros(12) + [0, 10, 0, 0, 2], 1)),
        ("an address with a fifth byte", .malformed, offer([4, 10, 0, 0, 1, 1], 1)),
        ("an address twice", .invalidContent, offer([4, 10, 0, 0, 1] + zeros(12) + [4, 10, 0, 0, 1], 1)),
        ("eight addresses", nil, offer((1...8).flatMap { [4, 10, 0, 0, $0] + zeros(12) }, 1)),
        ("0.1.2.3", .invalidContent, offer([4, 0, 1, 2, 3], 1)),
        ("1.0.0.0 and 223.255.255.255", nil, offer([4, 1, 0, 0, 0] + zeros(12) + [4, 223, 255, 255, 255], 1)),
        ("224.0.0.0", .invalidContent, offer([4, 224, 0, 0, 0], 1)),
        ("255.255.255.255", .invalidContent, offer([4, 255, 255, 255, 255], 1)),
        ("::1", .invalidContent, offer([6] + zeros(15) + [1], 1)),
        ("::ffff:10.0.0.1", .invalidContent, offer([6] + zeros(10) + [0xFF, 0xFF, 10, 0, 0, 1], 1)),
        ("0:0:0:0:ffff::", .invalidContent, offer([6] + zeros(8) + [0xFF, 0xFF], 1)),
        ("0:0:0:1:: and feff::", nil, offer([6] + zeros(7) + [1] + zeros(8) + [6, 0xFE, 0xFF], 1)),
        ("ff00::", .invalidContent, offer([6, 0xFF], 1)),
    ]

    /// Returns a piece of that kind (the first byte) with that data, padded to a multiple of 64 bytes.
    static func padded(_ piece: [UInt8]) -> [UInt8] {
        guard let kind = piece.first else { return [] }
        let count = piece.count - 1
        let content = [kind, UInt8(count >> 8), UInt8(count & 0xFF)] + piece.dropFirst()
        return content + [UInt8](repeating: 0, count: (64 - content.count % 64) % 64)
    }
}
