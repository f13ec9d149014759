import HandoffCore
import HandoffModel
import HandoffWire
import Testing
import TestLimits

@Suite("The move of a stream to the local network", .endsWithin(minutes: 10))
struct StreamMoveTests {
    private typealias Action = StreamMove.Action

    /// What happens at one side.
    enum Event: Sendable {
        case offer(NetworkOffer?)
        case proven(NetworkConnectionID)
        case move(NetworkConnectionID)
        case timeIsUp
    }

    /// What happens, and what the device has to do after each event; nil where it ends the stream.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var hasOffered = true
        let events: [(Event, [StreamMove.Action]?)]
    }

    private static let offer = NetworkOffer(
        port: 40_000,
        secret: [UInt8](repeating: 1, count: 32),
        addresses: [.v4(0x0A00_0001)],
        hasAES: false
    )!
    private static let (one, two) = (id(1), id(2))

    private static func id(_ byte: UInt8) -> NetworkConnectionID {
        NetworkConnectionID(bytes: [UInt8](repeating: byte, count: 16))!
    }

    private static let callers = [
        Case(
            testDescription: "moves to the first proven connection, and receives there once the listener has moved",
            events: [
                (.offer(offer), [.connect(offer)]), (.proven(one), [.send(over: one), .stop]), (.proven(two), []),
                (.timeIsUp, []), (.move(one), [.receive(over: one)]), (.timeIsUp, []), (.move(one), nil),
            ]
        ),
        Case(
            testDescription: "stays without an offer of the other device",
            events: [(.offer(nil), [.stop]), (.proven(one), []), (.move(one), nil)]
        ),
        Case(
            testDescription: "stays without an own offer",
            hasOffered: false,
            events: [(.offer(offer), [.stop]), (.move(one), nil)]
        ),
        Case(
            testDescription: "stays where no connection proves itself in time",
            events: [(.offer(offer), [.connect(offer)]), (.timeIsUp, [.stop]), (.proven(one), []), (.move(one), nil)]
        ),
        Case(
            testDescription: "stays where no offer comes in time",
            events: [(.timeIsUp, [.stop]), (.offer(offer), [])]
        ),
        Case(
            testDescription: "refuses the move that the listener makes by itself",
            events: [(.offer(offer), [.connect(offer)]), (.move(one), nil)]
        ),
        Case(
            testDescription: "refuses the move to another connection",
            events: [(.offer(offer), [.connect(offer)]), (.proven(one), [.send(over: one), .stop]), (.move(two), nil)]
        ),
        Case(testDescription: "refuses a move before the offer", events: [(.move(one), nil)]),
    ]

    private static let listeners = [
        Case(
            testDescription: "follows the caller to a connection that it has proved",
            events: [
                (.offer(offer), [.connect(offer)]), (.proven(one), []), (.proven(two), []),
                (.move(two), [.send(over: two), .receive(over: two), .stop]), (.timeIsUp, []), (.move(two), nil),
            ]
        ),
        Case(
            testDescription: "follows when the connection proves itself after the move",
            events: [
                (.offer(offer), [.connect(offer)]), (.proven(one), []), (.move(two), []), (.proven(one), []),
                (.timeIsUp, []), (.proven(two), [.send(over: two), .receive(over: two), .stop]),
            ]
        ),
        Case(
            testDescription: "follows a move that was on its way when the time was up",
            events: [
                (.offer(offer), [.connect(offer)]), (.proven(one), []), (.timeIsUp, []),
                (.move(one), [.send(over: one), .receive(over: one), .stop]),
            ]
        ),
        Case(
            testDescription: "refuses a move where no connection has proved itself in time",
            events: [(.offer(offer), [.connect(offer)]), (.timeIsUp, [.stop]), (.move(one), nil)]
        ),
        Case(
            testDescription: "refuses a move where one of the offers was empty",
            events: [(.offer(nil), [.stop]), (.proven(one), []), (.move(one), nil)]
        ),
        Case(
            testDescription: "refuses two moves",
            events: [(.offer(offer), [.connect(offer)]), (.move(one), []), (.move(one), nil)]
        ),
    ]

    @Test("The caller", arguments: callers)
    func caller(_ sequence: Case) { Self.check(sequence, isCaller: true) }

    @Test("The listener", arguments: listeners)
    func listener(_ sequence: Case) { Self.check(sequence, isCaller: false) }

    @Test("In every order of four events, each side moves at most once, over a connection that it has proved")
    func everyOrder() throws {
        let events: [Event] = [
            .offer(Self.offer), .offer(nil), .proven(Self.one), .proven(Self.two), .move(Self.one), .move(Self.two),
            .timeIsUp,
        ]
        // The digits of a number are the places of the events.
        for number in 0..<(7 * 7 * 7 * 7) {
            let order = [1, 7, 49, 343].map { events[number / $0 % 7] }
            for isCaller in [true, false] { Self.checkOrder(order, isCaller: isCaller) }
        }
    }

    private static func check(_ sequence: Case, isCaller: Bool) {
        var move = StreamMove(isCaller: isCaller, hasOffered: sequence.hasOffered)
        for (index, (event, actions)) in sequence.events.enumerated() {
            #expect(take(event, &move) == actions, "after event \(index)")
        }
    }

    private static func checkOrder(_ events: [Event], isCaller: Bool) {
        var move = StreamMove(isCaller: isCaller, hasOffered: true)
        var proven: Set<NetworkConnectionID> = []
        var done: [Action] = []
        for event in events {
            if case .proven(let id) = event { proven.insert(id) }
            guard let actions = take(event, &move) else { break }
            done += actions
        }
        for action in done {
            switch action {
            case .send(let id), .receive(let id): #expect(proven.contains(id))
            case .connect, .stop: break
            }
        }
        #expect(Set(done).count == done.count, "\(events)")
        let moves = done.contains { if case .send = $0 { true } else { false } }
        #expect(!(moves && move.isStaying))
    }

    private static func take(_ event: Event, _ move: inout StreamMove) -> [StreamMove.Action]? {
        switch event {
        case .offer(let offer): move.receive(offer)
        case .proven(let id): move.prove(id)
        case .move(let id): try? move.receiveMove(to: id)
        case .timeIsUp: move.giveUp()
        }
    }
}
