import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import Testing

@Suite("A session carries one activity from its origin to whoever asks")
struct SessionTests {
    @Test("the whole exchange works however the bytes are cut", arguments: [0, 1024, 65_536], [1, 2, 3, 23, 672, 70_000])
    func pieces(_ weight: Int, _ size: Int) throws {
        let activity = try weight == 0 ? Activity.sample() : Activity.weighing(weight)
        var talk = try Conversation()

        var introduced: (DeviceID, Request)?
        for piece in try talk.fetch.start().pieces(of: size) {
            #expect(introduced == nil)
            introduced = try talk.serve.introduce(piece)
        }
        #expect(introduced?.0 == talk.asking.publicKey.device)
        #expect(introduced?.1 == talk.request)

        var answered: FetchSession.Answered?
        for piece in try talk.serve.answer(.activity(activity)).pieces(of: size) {
            #expect(answered == nil)
            answered = try talk.fetch.receive(piece)
        }
        #expect(answered?.answer == .activity(activity))

        var isAcknowledged = false
        for piece in try #require(answered).acknowledgement.pieces(of: size) {
            #expect(!isAcknowledged)
            isAcknowledged = try talk.serve.acknowledge(piece)
        }
        #expect(isAcknowledged)
    }

    @Test("a refusal travels as well")
    func refusal() throws {
        var talk = try Conversation()
        let refusal = Answer.refusal(Refusal(.busy, "Later, please."))
        let second = try talk.exchange(refusal).second
        #expect(try talk.fetch.receive(second)?.answer == refusal)
    }

    @Test("an activity of 1 KB costs at most 1.15 times its bytes and 300 more, both ways")
    func cost() throws {
        let activity = try Activity.weighing(1024)
        var talk = try Conversation()
        let (first, second) = try talk.exchange(.activity(activity))
        let third = try talk.taking(second).acknowledgement
        let budget = 1.15 * 1024 + 300
        #expect(Double(first.count + second.count + third.count) <= budget)
    }

    @Test("the answer comes to the caller among many trusted devices")
    func manyDevices() throws {
        let others = (0..<20).map { _ in DeviceKeys.generate() }
        var talk = try Conversation()
        talk.serve = try Conversation.server(talk.answering, trusting: others + [talk.asking])
        #expect(try talk.serve.introduce(talk.fetch.start())?.0 == talk.asking.publicKey.device)
    }

    @Test("a caller that is not trusted is told apart, and gets nothing")
    func stranger() throws {
        var talk = try Conversation()
        talk.serve = try Conversation.server(talk.answering, trusting: [.generate(), .generate()])
        let first = try talk.fetch.start()
        #expect { try talk.serve.introduce(first) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
    }

    @Test("a device that trusts nobody answers nobody")
    func nobodyTrusted() throws {
        var talk = try Conversation()
        talk.serve = try Conversation.server(talk.answering, trusting: [])
        let first = try talk.fetch.start()
        #expect { try talk.serve.introduce(first) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
    }

    @Test("a request for one device means nothing to another, even to one that trusts the caller")
    func wrongPeer() throws {
        var talk = try Conversation()
        talk.serve = try Conversation.server(.generate(), trusting: [talk.asking])
        let first = try talk.fetch.start()
        #expect { try talk.serve.introduce(first) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
    }

    @Test("an answer of anybody but the peer is no answer")
    func impostor() throws {
        var talk = try Conversation()
        _ = try talk.fetch.start()
        // Somebody who knows both public keys, has another private one, and answers a request of the same device.
        var other = try Conversation(asking: talk.asking)
        let second = try other.exchange(.activity(.sample())).second
        #expect { try talk.fetch.receive(second) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }
}
