import HandoffCore
import HandoffModel
import HandoffTestVectors
import HandoffWire
import Testing
import TestLimits

@Suite("Vectors of moves of a stream", .endsWithin(minutes: 10))
struct MoveVectorTests {
    /// What happens at one side of a stream.
    struct Case: Codable, Equatable, Sendable {
        let what: String
        let side: String
        /// Whether this side has made an offer with addresses.
        let hasOffered: Bool
        var events: [Event]
    }

    /// What happens, and over which connections the side sends and receives then; nil for the radio.
    struct Event: Codable, Equatable, Sendable {
        enum Kind: String, Codable, Sendable {
            case offer, emptyOffer, proof, move, time
        }

        let happens: Kind
        let connection: String?
        var sendsOver: String?
        var receivesOver: String?
        /// Whether it ends the session.
        var isRefused = false

        init(_ kind: Kind, _ connection: String? = nil) { (happens, self.connection) = (kind, connection) }
    }

    private static let (one, other) = (hex([UInt8](repeating: 1, count: 16)), hex([UInt8](repeating: 2, count: 16)))
    private static let (offer, time) = (Event(.offer), Event(.time))
    private static let (proofOfOne, proofOfOther) = (Event(.proof, one), Event(.proof, other))
    private static let (toOne, toOther) = (Event(.move, one), Event(.move, other))

    private static let callers: [(what: String, hasOffered: Bool, events: [Event])] = [
        (
            "the first connection, and the listener's answer", true,
            [offer, proofOfOne, proofOfOther, time, toOne, toOne]
        ),
        ("an answer with another connection", true, [offer, proofOfOne, proofOfOther, toOther]),
        ("a move of the listener that is no answer", true, [offer, toOne]),
        ("a move before the offer", true, [toOne]),
        ("an empty offer", true, [Event(.emptyOffer), proofOfOne, toOne]),
        ("an offer where the side has made none", false, [offer, proofOfOne, toOne]),
        ("a connection that is late", true, [offer, time, proofOfOne, toOne]),
        ("an offer that is late", true, [time, offer, proofOfOne, toOne]),
    ]

    private static let listeners: [(what: String, hasOffered: Bool, events: [Event])] = [
        (
            "the caller's choice of two connections, and another move", true,
            [offer, proofOfOne, proofOfOther, toOther, toOther]
        ),
        ("a connection that is slower than the move", true, [offer, toOne, proofOfOther, proofOfOne]),
        ("two moves, to a connection that is not proven", true, [offer, toOne, toOne]),
        ("a move after the time for connecting", true, [offer, proofOfOne, time, toOne]),
        ("the same, to a connection that is slower", true, [offer, toOne, time, proofOfOne]),
        ("a move after the time, where no connection is proven", true, [offer, time, toOne]),
        ("a move before the offer", true, [toOne]),
        ("a move after an empty offer", true, [Event(.emptyOffer), toOne]),
        ("a move where the side has made no offer", false, [offer, proofOfOne, toOne]),
    ]

    private static func make() throws -> [Case] {
        try callers.map { try make("caller", $0.what, $0.hasOffered, $0.events) }
            + listeners.map { try make("listener", $0.what, $0.hasOffered, $0.events) }
    }

    private static func make(_ side: String, _ what: String, _ hasOffered: Bool, _ events: [Event]) throws -> Case {
        var move = StreamMove(isCaller: side == "caller", hasOffered: hasOffered)
        var sends: String?
        var receives: String?
        let done = try events.map { event in
            var event = event
            do throws(HandoffError) {
                for action in try act(event, &move) {
                    if case .send(let connection) = action { sends = hex(connection.bytes) }
                    if case .receive(let connection) = action { receives = hex(connection.bytes) }
                }
            } catch {
                try #require(error.violation == .outOfTurn)
                event.isRefused = true
            }
            (event.sendsOver, event.receivesOver) = (sends, receives)
            return event
        }
        return Case(what: what, side: side, hasOffered: hasOffered, events: done)
    }

    private static func act(_ event: Event, _ move: inout StreamMove) throws(HandoffError) -> [StreamMove.Action] {
        let connection = event.connection.flatMap { NetworkConnectionID(bytes: bytes($0)) }
        let offer = NetworkOffer(
            port: 40_000,
            secret: [UInt8](repeating: 1, count: 32),
            addresses: [.v4(0x0A00_0001)],
            hasAES: false
        )
        switch (event.happens, connection) {
        case (.offer, _): return move.receive(offer)
        case (.emptyOffer, _): return move.receive(nil)
        case (.proof, let connection?): return move.prove(connection)
        case (.move, let connection?): return try move.receiveMove(to: connection)
        case (.time, _): return move.giveUp()
        case (_, nil): preconditionFailure("a proof and a move name a connection")
        }
    }

    @Test("The published vectors are what this code does")
    func published() throws {
        let file = VectorFile(
            about: """
                What one side of a stream does about a move (Docs/Protocol.md, "Over the local network"). `happens`: the other \
                side's `offer` or `emptyOffer` arrives, a connection gives its `proof`, the other side says that it will \
                `move`, or the `time` for connecting is over. After each, the side sends and receives over these connections, \
                or over the radio. What `isRefused` ends the session. Connections are hexadecimal.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("moves")
        #expect(try VectorFile<Case>.load("moves") == file)
    }
}
