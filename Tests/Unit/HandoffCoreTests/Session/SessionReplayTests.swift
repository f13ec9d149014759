import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A replayed message leads nowhere", .endsWithin(minutes: 10))
struct SessionReplayTests {
    @Test("a first message that is sent again opens no other session, however soon")
    func replayedSession() throws {
        var talk = try SessionPair()
        let (first, second) = try talk.exchange(.activity(.sample()))
        let third = try talk.taking(second).acknowledgement
        #expect(try talk.serve.acknowledge(third) == true)

        var again = try SessionPair.server(talk.answering, trusting: [talk.asking])
        #expect { try again.receiveRequest(first) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
    }

    @Test("the answer to a replay is unreadable for another session of the same two devices")
    func answerOfAnotherSession() throws {
        let talk = try SessionPair()
        var (one, two) = (talk, talk)
        let (first, second) = (try one.fetch.opened(by: one.serve), try two.fetch.opened(by: two.serve))
        #expect(first != second)
        _ = try one.serve.receiveRequest(first)
        let answer = try one.serve.answer(.activity(.sample()))
        #expect { try two.fetch.receive(answer) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }

    @Test("an answer that came once is not taken a second time")
    func answerTwice() throws {
        var talk = try SessionPair()
        let second = try talk.exchange(.activity(.sample())).second
        #expect(try talk.fetch.receive(second) != nil)
        #expect { try talk.fetch.receive(second) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }

    @Test("what a caller sends along with its first message confirms nothing")
    func earlyBytes() throws {
        var talk = try SessionPair()
        let first = try talk.fetch.opened(by: talk.serve)
        #expect(try talk.serve.receiveRequest(first + first) != nil)
        _ = try talk.serve.answer(.activity(.sample()))
        #expect { try talk.serve.acknowledge([]) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }
}
