import DBus
import HandoffBus
import HandoffClient
import TestLimits
import Testing

@Suite("The questions of a pairing", .endsWithin(minutes: 5))
struct PairingQuestionsTests {
    private static let candidates = [PairingCandidate(number: 4, name: "desk", device: "00000000000000bb")]

    @Test("Each question gets the answer to its number, the first time only")
    func answers() async throws {
        let (calls, newCalls) = AsyncStream.makeStream(of: PairingCall.self)
        let questions = PairingQuestions { newCalls.yield($0) }
        async let choice = questions.choose(Self.candidates)
        var iterator = calls.makeAsyncIterator()
        guard case .choice(Self.candidates, let first)? = await iterator.next() else {
            Issue.record("no choice was asked")
            return
        }
        questions.answer(first, .device(4))
        questions.answer(first, .withdrawn)
        #expect(try await choice == 4)
        async let areSame = questions.confirm("123456", shownBy: "desk", "00000000000000bb")
        guard case .digits("123456", "desk", "00000000000000bb", let second)? = await iterator.next() else {
            Issue.record("no digits were asked about")
            return
        }
        #expect(first != second)
        questions.answer(first, .areSame(true))
        questions.answer(second, .areSame(false))
        #expect(try await areSame == false)
    }

    @Test("A question that is withdrawn is an error for the daemon, and so is each one after the end")
    func withdrawn() async throws {
        let (calls, newCalls) = AsyncStream.makeStream(of: PairingCall.self)
        let questions = PairingQuestions { newCalls.yield($0) }
        let error = await #expect(throws: DBusError.self) {
            async let areSame = questions.confirm("123456", shownBy: "desk", "00000000000000bb")
            var iterator = calls.makeAsyncIterator()
            _ = await iterator.next()
            questions.close()
            return try await areSame
        }
        #expect(HandoffErrorName(error?.name) == .userCancelled)
        await #expect(throws: DBusError.self) { try await questions.choose(Self.candidates) }
    }

    @Test("A choice among no devices is an error of the caller, and nobody is asked")
    func noCandidates() async throws {
        let questions = PairingQuestions { Issue.record("the user was asked: \($0)") }
        let error = await #expect(throws: DBusError.self) { try await questions.choose([]) }
        #expect(error?.name == .invalidArgs)
    }
}
