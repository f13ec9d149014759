import AsyncSupport
import TestLimits
import Testing

@Suite("A result holds the outcome of an asynchronous operation", .endsWithin(minutes: 5))
struct ResultTests {
    @Test("A returned value is a success and a thrown error is a failure")
    func successAndFailure() async throws {
        let success: Result<Int, any Error> = await Result {
            await Task.yield()
            return 7
        }
        #expect(try success.get() == 7)
        let failure = await Result { () async throws(Failure) -> Int in
            await Task.yield()
            throw Failure(name: "body")
        }
        #expect(failure == .failure(Failure(name: "body")))
    }
}
