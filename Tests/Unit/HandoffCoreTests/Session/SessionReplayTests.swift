import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A replayed message has no effect", .endsWithin(minutes: 10))
struct SessionReplayTests {
    @Test("A first message that is sent again opens no other session, however soon")
    func replayedSession() throws {
        var pair = try SessionPair()
        let (first, second) = try pair.exchange(.activity(.sample()))
        _ = try pair.taking(second)
        let third = try pair.fetch.acknowledge()
        #expect(try pair.serve.acknowledge(third) == true)

        var again = try SessionPair.server(pair.answering, trusting: [pair.asking])
        #expect { try again.receiveRequest(first) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
    }

    @Test("The answer to a replay is unreadable for another session of the same two devices")
    func answerOfAnotherSession() throws {
        let pair = try SessionPair()
        var (one, two) = (pair, pair)
        let (first, second) = (try one.fetch.opened(by: one.serve), try two.fetch.opened(by: two.serve))
        #expect(first != second)
        _ = try one.serve.receiveRequest(first)
        let answer = try one.serve.answer(.activity(.sample()))
        #expect { try two.fetch.receive(answer) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }

    @Test("An answer is not accepted a second time")
    func answerTwice() throws {
        var pair = try SessionPair()
        let second = try pair.exchange(.activity(.sample())).second
        #expect(try pair.fetch.receive(second) != nil)
        #expect { try pair.fetch.receive(second) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }

    @Test("Bytes that a caller sends along with its first message confirm nothing")
    func earlyBytes() throws {
        var pair = try SessionPair()
        let first = try pair.fetch.opened(by: pair.serve)
        #expect(try pair.serve.receiveRequest(first + first) != nil)
        _ = try pair.serve.answer(.activity(.sample()))
        #expect { try pair.serve.acknowledge([]) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }
}
