import HandoffCore
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A session that becomes a stream", .endsWithin(minutes: 10))
struct StreamTests {
    /// Both sides after the acknowledgement of the answer that grants the stream.
    private func granted() throws -> SessionPair {
        var pair = try SessionPair(request: .stream(StreamRequest(activity: 7)))
        let (_, second) = try pair.exchange(.stream)
        let answered = try pair.taking(second)
        #expect(answered.answer == .stream)
        #expect(try pair.serve.acknowledge(try pair.fetch.acknowledge()))
        return pair
    }

    /// Both sides after the app has accepted the stream.
    private func opened() throws -> (
        caller: (sending: StreamSender, receiving: StreamReceiver),
        listener: (sending: StreamSender, receiving: StreamReceiver)
    ) {
        var pair = try granted()
        #expect(try pair.fetch.receiveOpening(try pair.serve.open(.stream)) == .stream)
        return (pair.fetch.stream(), pair.serve.stream())
    }

    @Test("The caller learns the reason of an app that does not accept the stream")
    func refused() throws {
        var pair = try granted()
        let refusal = Answer.refusal(Refusal(.internal, "It has one."))
        let bytes = try pair.serve.open(refusal)
        #expect(try pair.fetch.receiveOpening(Array(bytes.prefix(100))) == nil)
        #expect(try pair.fetch.receiveOpening(Array(bytes.dropFirst(100))) == refusal)
    }

    @Test("A stream transfers pieces in both directions, split anywhere")
    func pieces() throws {
        var (caller, listener) = try opened()
        let sent: [StreamPiece] = [.data([1, 2, 3]), .data([UInt8](repeating: 9, count: 8192)), .end, .arrived]
        let there = try sent.flatMap { try caller.sending.encode($0) }
        for size in [1, 23, 672, 20_000] {
            var receiver = listener.receiving
            var read: [StreamPiece] = []
            for piece in there.pieces(of: size) {
                try receiver.append(piece)
                while let next = try receiver.next() { read.append(next) }
            }
            #expect(read == sent)
        }
        try caller.receiving.append(try listener.sending.encode(.end))
        #expect(try caller.receiving.next() == .end)
    }

    @Test(
        "A stream refuses pieces after its end",
        arguments: [
            [StreamPiece.end, .data([1])], [.end, .end], [.arrived], [.end, .arrived, .arrived],
            [.data([1]), .arrived],
        ]
    )
    func order(_ pieces: [StreamPiece]) throws {
        var (caller, listener) = try opened()
        for piece in pieces { try listener.receiving.append(try caller.sending.encode(piece)) }
        for _ in pieces.dropLast() { #expect(try listener.receiving.next() != nil) }
        let last = Result { try listener.receiving.next() }
        #expect(throws: HandoffError.self) { try last.get() }
    }

    @Test("A key that a user has pressed, a line of text, an end and its confirmation have one length")
    func lengths() throws {
        var (caller, _) = try opened()
        let pieces: [StreamPiece] = [.data([1]), .data([UInt8](repeating: 65, count: 61)), .end, .arrived]
        #expect(Set(try pieces.map { try caller.sending.encode($0).count }) == [2 + 64 + 16])
    }

    @Test("A stream refuses pieces that are repeated, left out, or changed")
    func damage() throws {
        let (caller, listener) = try opened()
        var sender = caller.sending
        let (one, two) = (try sender.encode(.data([1])), try sender.encode(.data([2])))
        var changed = one
        changed[5] ^= 1
        for bytes in [one + one, two, changed] {
            var receiver = listener.receiving
            try receiver.append(bytes)
            let read = Result {
                while try receiver.next() != nil {}
            }
            #expect(throws: HandoffError.self) { try read.get() }
        }
    }
}

@Suite("Stream tokens", .endsWithin(minutes: 10))
struct StreamTokensTests {
    @Test("Stream tokens lead back to their activity, and those of another run to none")
    func tokens() {
        let tokens = StreamTokens(run: 0xDEAD_BEEF)
        #expect(tokens.activity(for: tokens.token(for: 42)) == 42)
        #expect(StreamTokens(run: 0xDEAD_BEEE).activity(for: tokens.token(for: 42)) == nil)
        #expect(tokens.activity(for: 42) == nil)
    }

    @Test("Stream tokens are never 0, which means none")
    func never0() {
        #expect(StreamTokens(run: 0).token(for: 0) != 0)
    }
}
