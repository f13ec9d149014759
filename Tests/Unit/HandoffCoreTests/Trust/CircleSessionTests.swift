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

    private func state(_ count: Int, named name: String) throws -> CircleMessage {
        var circle = Circle()
        for number in 0..<count {
            let keys = DeviceKeys.generate()
            let identity = DeviceIdentity(publicKey: keys.publicKey, name: try DeviceName("\(name) \(number)"))
            try circle.insert(identity, by: nil)
            try circle.renewKey(of: keys.publicKey.device, to: keys.advertisingKey)
        }
        return circle.message
    }

    @Test(
        "Each side gets the other's whole state, also the largest one, in pieces of any size",
        arguments: [1, 20, 4096]
    )
    func exchange(piece: Int) throws {
        let (mine, theirs) = (try state(101, named: "mine"), try state(101, named: "theirs"))
        var calling = ClientSession(keys: caller, peer: listener.publicKey, request: .circle)
        var serving = try SessionPair.server(listener, trusting: [caller])
        let introduction = try #require(try serving.receiveRequest(try calling.opened(by: serving)))
        #expect(introduction.request == .circle)
        var heard: Answer?
        for bytes in try serving.answer(.circle(theirs)).pieces(of: piece) {
            heard = try calling.receive(bytes)?.answer ?? heard
        }
        #expect(heard == .circle(theirs))
        var acknowledgement: Acknowledgement?
        for bytes in try calling.acknowledge(mine).pieces(of: piece) {
            acknowledgement = try serving.acknowledgeCircle(bytes) ?? acknowledgement
        }
        #expect(acknowledgement?.circle == mine)
        #expect(try calling.receiveConclusion(try serving.conclude(Acknowledgement())) == Acknowledgement())
    }

    @Test("A replay of the first message opens no session, and so gets no circle")
    func replay() throws {
        var calling = ClientSession(keys: caller, peer: listener.publicKey, request: .circle)
        var original = try SessionPair.server(listener, trusting: [caller])
        let first = try calling.opened(by: original)
        #expect(try original.receiveRequest(first)?.request == .circle)
        var second = try SessionPair.server(listener, trusting: [caller])
        #expect { try second.receiveRequest(first) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
    }

    @Test("An answer of another kind is received as what it is, and has no second acknowledgement")
    func otherAnswers() throws {
        for answer in [Answer.refusal(Refusal(.busy, "later")), .stream] {
            var calling = ClientSession(keys: caller, peer: listener.publicKey, request: .circle)
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
        let digest: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let bytes = try pair.serve.answer(.refusal(Refusal(.busy, "later")), circleDigest: digest)
        #expect(try pair.taking(bytes).circleDigest == digest)
    }
}
