import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Of two operations the first counts", .endsWithin(minutes: 10))
struct RaceTests {
    private static func never() async throws {
        try await untilCancelled()
    }

    private static func cancelled() throws {
        throw CancellationError()
    }

    private struct TooSlow: Error {}

    @Test("the result of the first is the result, and the other is cancelled and awaited")
    func firstWins() async throws {
        let end = Latest(false)
        let result = try await first {
            "quick"
        } or: {
            do {
                try await untilCancelled()
            } catch {
                end.set(true)
                throw error
            }
        }
        #expect(result == "quick")
        #expect(end.current.value)
    }

    @Test("a deadline that passes throws its error")
    func deadline() async {
        await #expect(throws: TooSlow.self) {
            try await withDeadline(.milliseconds(1), orThrow: TooSlow()) { try await Self.never() }
        }
    }

    @Test("an operation in time has its result, and its error")
    func inTime() async throws {
        #expect(try await withDeadline(.seconds(60), orThrow: TooSlow()) { 7 } == 7)
        await #expect(throws: CancellationError.self) {
            try await withDeadline(.seconds(60), orThrow: TooSlow()) { try Self.cancelled() }
        }
    }

    @Test("a service that is cancelled ends quietly, and one that fails does not")
    func quietEnd() async throws {
        try await ignoringCancellation { throw CancellationError() }
        await #expect(throws: TooSlow.self) { try await ignoringCancellation { throw TooSlow() } }
    }
}
