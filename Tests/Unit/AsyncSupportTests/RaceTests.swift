import AsyncSupport
import TestLimits
import Testing

@Suite("The first of two operations to end decides a race", .endsWithin(minutes: 5))
struct RaceTests {
    private let executor = ManualExecutor()
    private let log = EventLog<String>()

    @Test("The first result is returned, and the other operation is cancelled and awaited")
    func theFirstResultCounts() async throws {
        let left = try await race({ 7 }, forever)
        let right = try await race(forever, { 8 })
        #expect([left, right] == [7, 8])
        #expect(log.events == ["ended", "ended"])
    }

    @Test("The first error is thrown, and the other operation is cancelled and awaited")
    func theFirstErrorCounts() async {
        await #expect(throws: Failure()) { try await race({ throw Failure() }, forever) }
        await #expect(throws: Failure()) { try await race(forever, { throw Failure() }) }
        #expect(log.events == ["ended", "ended"])
    }

    @Test("The later result or error is dropped")
    func theOtherIsDropped() async throws {
        let value = try await race {
            try? await untilCancelled()
            return 7
        } _: {
            8
        }
        #expect(value == 8)
        let other = try await race {
            try? await untilCancelled()
            throw Failure()
        } _: {
            9
        }
        #expect(other == 9)
    }

    @Test("Cancelling the caller cancels both operations", arguments: [true, false])
    func theCallerIsCancelled(_ isCancelledFirst: Bool) async {
        let gate = Promise<Int>()
        let caller = executor.start {
            try await race(forever, gate.valueIgnoringCancellation)
        }
        if !isCancelledFirst { executor.runUntilIdle() }
        caller.cancel()
        executor.runUntilIdle()
        #expect(log.events == ["ended"])
        gate.fulfil(7)
        executor.runUntilIdle()
        await #expect(throws: CancellationError.self) { try await caller.value }
    }

    @Sendable private func forever() async throws -> Int {
        defer { log.append("ended") }
        try await untilCancelled()
    }
}
