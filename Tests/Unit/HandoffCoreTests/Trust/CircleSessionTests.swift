import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A circle is exchanged in a session", .endsWithin(minutes: 10))
struct CircleSessionTests {
    private let caller = DeviceKeys.generate()
    private let listener = DeviceKeys.generate()

    private static func state(_ count: Int) -> CircleMessage {
        CircleMessage(
            statements: (0..<count).map { [UInt8](repeating: UInt8($0 % 256), count: 202) },
            digest: [UInt8](repeating: UInt8(count % 256), count: 32),
            advertisingKey: [UInt8](repeating: 2, count: 44),
            directedKey: [UInt8](repeating: 3, count: 32),
            knownKey: nil
        )
    }

    private var calling: ClientSession {
        ClientSession(
            keys: caller,
            peer: listener.publicKeys,
            request: .circle(CircleRequest(digest: [UInt8](repeating: 7, count: 32)))
        )
    }

    @Test(
        "Each side gets the other's whole state, also the largest one, in pieces of any size",
        arguments: [1, 20, 4096]
    )
    func exchange(piece: Int) throws {
        let (mine, theirs) = (Self.state(CircleLimits.standard.statements), Self.state(1000))
        var calling = calling
        var serving = try SessionPair.server(listener, trusting: [caller])
        let introduction = try #require(try serving.receiveRequest(try calling.opened(by: serving)))
        #expect(introduction.request == .circle(CircleRequest(digest: [UInt8](repeating: 7, count: 32))))
        var heard: Answer?
        for bytes in try serving.answer(.circle(theirs)).pieces(of: piece) {
            heard = try calling.receive(bytes)?.answer ?? heard
        }
        #expect(heard == .circle(theirs))
        var acknowledgement: Acknowledgement?
        for bytes in try calling.acknowledge(Acknowledgement(circle: mine)).pieces(of: piece) {
            acknowledgement = try serving.receiveAcknowledgement(bytes) ?? acknowledgement
        }
        #expect(acknowledgement?.circle == mine)
        var end: Acknowledgement?
        for bytes in try serving.conclude(Acknowledgement(circle: theirs)).pieces(of: piece) {
            end = try calling.receiveConclusion(bytes) ?? end
        }
        #expect(end?.circle == theirs)
    }

    @Test("A replay of the first message opens no session, and so gets no circle")
    func replay() throws {
        var calling = calling
        var original = try SessionPair.server(listener, trusting: [caller])
        let first = try calling.opened(by: original)
        #expect(
            try original.receiveRequest(first)?.request
                == .circle(CircleRequest(digest: [UInt8](repeating: 7, count: 32)))
        )
        var second = try SessionPair.server(listener, trusting: [caller])
        #expect { try second.receiveRequest(first) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
    }

    @Test("An answer of another kind is received as what it is, and has no second acknowledgement")
    func otherAnswers() throws {
        for answer in [Answer.refusal(Refusal(.busy, "later")), .stream] {
            var calling = calling
            var serving = try SessionPair.server(listener, trusting: [caller])
            _ = try serving.receiveRequest(try calling.opened(by: serving))
            #expect(try calling.receive(try serving.answer(answer))?.answer == answer)
            #expect(try serving.acknowledge(try calling.acknowledge()))
            let more = try SessionPair().serve.greeting
            #expect { try calling.receiveConclusion(more) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
        }
    }

    @Test("An answer comes with the digest of its origin's circle")
    func digest() throws {
        var pair = try SessionPair()
        _ = try pair.serve.receiveRequest(try pair.fetch.opened(by: pair.serve))
        let digest = [UInt8](repeating: 8, count: 32)
        let bytes = try pair.serve.answer(.refusal(Refusal(.busy, "later")), circleDigest: digest)
        #expect(try pair.taking(bytes).circleDigest == digest)
    }
}
