import HandoffCore
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Vectors of what ends a pairing", .endsWithin(minutes: 10))
struct PairingRefusalVectorTests {
    /// A pairing up to the message that ends it; bytes in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let what: String
        let reader: PairingSide
        let caller: PairingVectorKeys
        let listener: PairingVectorKeys
        let sent: [PairingRefusalScript.Sent]
        let refused: PairingRefusalScript.Sent
        let instead: PairingRefusalScript.Sent
        /// What the reader sends after the other message.
        let then: [PairingRefusalScript.Sent]
        /// Whether its exchange ends with that.
        let ends: Bool
    }

    private static func make(_ refusal: PairingRefusalCase) throws -> Case {
        let keys = PairingVectorKeys.published
        var script = try PairingRefusalScript(reader: refusal.reader)
        for step in refusal.before { try script.perform(step) }
        var other = script
        let instead = try other.performLast(refusal.instead)
        return Case(
            what: refusal.what,
            reader: refusal.reader,
            caller: try #require(keys[.caller]),
            listener: try #require(keys[.listener]),
            sent: script.sent,
            refused: try script.send(refusal.refused),
            instead: instead.sent,
            then: instead.then,
            ends: instead.isOver
        )
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                What ends a pairing (Docs/Protocol.md, "Pairing"). `sent` is what both sides send, in order: frames with \
                their length, and in `message` what they hold after the handshake. Before it sends a frame with `does`, \
                the user of `reader` does this; all others of the reader follow from what it has received, with the \
                ephemeral key and the number (`nonce`) of the vector. `refused`, in the place of a further frame, ends the \
                channel at once and without an answer. `instead`, in the same place, does not break a rule: the reader sends \
                `then`, and its part of the pairing is over where it `ends`. All cases have the same keys, which are for \
                testing. Everything is hexadecimal.
                """,
            cases: try PairingRefusalCase.all().map(Self.make)
        )
        try file.storeIfAsked("pairing-refusals")
        #expect(try VectorFile<Case>.load("pairing-refusals") == file)
        #expect(Set(file.cases.map(\.what)).count == file.cases.count)
    }

    @Test("The reader sends what is published, ends each pairing at its last message, and goes on with the other one")
    func read() throws {
        for vector in try VectorFile<Case>.load("pairing-refusals").cases {
            for isByteByByte in [false, true] {
                var refusing = try reader(of: vector, isByteByByte)
                var going = refusing
                let actions = take(vector.refused, &refusing, isByteByByte)
                #expect(refusing.isOver, "\(vector.what)")
                #expect(try actions.frames.isEmpty, "\(vector.what): it is not answered")
                let then = try take(vector.instead, &going, isByteByByte).frames.map { hex(FrameCodec.encode($0)) }
                #expect(then == vector.then.map(\.bytes), "\(vector.what): after the other message")
                #expect(going.isOver == vector.ends, "\(vector.what): the other message")
            }
        }
    }

    @Test("A message of each kind is refused where it is not due, by each side")
    func kinds() throws {
        let cases = try VectorFile<Case>.load("pairing-refusals").cases
        for side in PairingSide.allCases {
            let kinds = cases.filter { $0.reader == side }.compactMap { $0.refused.message?.prefix(2) }
            // The tags of introduction, choice, commitment, share, reveal, confirmation, refusal, withdrawal and done.
            let all = ["0a", "12", "1a", "22", "2a", "32", "3a", "42", "4a"]
            #expect(Set(all).isSubset(of: Set(kinds.map(String.init))), "\(side)")
        }
    }

    /// The reader after everything that both sides have sent before the last message.
    private func reader(of vector: Case, _ isByteByByte: Bool) throws -> PairingExchange {
        let isCaller = vector.reader == .caller
        let (own, other) = isCaller ? (vector.caller, vector.listener) : (vector.listener, vector.caller)
        var reader = try own.exchange(vector.reader, with: other)
        var due = try reader.start().frames
        for sent in vector.sent {
            if sent.by != vector.reader {
                #expect(due.isEmpty, "\(vector.what)")
                due += try take(sent, &reader, isByteByByte).frames
                continue
            }
            if let deed = sent.does { due += try reader.perform(deed).frames }
            #expect(due.first.map { hex(FrameCodec.encode($0)) } == sent.bytes, "\(vector.what)")
            due = Array(due.dropFirst())
        }
        #expect(due.isEmpty && !reader.isOver, "\(vector.what): before the last message")
        return reader
    }

    private func take(
        _ sent: PairingRefusalScript.Sent,
        _ reader: inout PairingExchange,
        _ isByteByByte: Bool
    ) -> [PairingExchange.Action] {
        let all = bytes(sent.bytes)
        let parts = isByteByByte ? all.map { [$0] } : [all]
        return parts.flatMap { reader.receive($0, at: Moment.at(1).uptime) }
    }
}
