import AsyncSupport
import TestLimits
import Testing

@Suite("A time-out limits how long a body runs", .endsWithin(minutes: 5))
struct TimeoutTests {
    private let executor = ManualExecutor()
    private let clock = ManualClock()
    private let outcome = EventLog<String>()
    private let log = EventLog<String>()

    @Test("The result and the error of a body that ends in time reach the caller")
    func aBodyInTimeCounts() {
        startThrowing { 7 }
        startThrowing { throw Failure(name: "body") }
        startThrowing { throw CancellationError() }
        startDiscarding { 7 }
        startDiscarding { throw Failure(name: "body") }
        executor.runUntilIdle()
        #expect(outcome.events == ["7", "body", "CancellationError()", "7", "body"])
        #expect(log.events.isEmpty)
    }

    @Test("After the limit the body is cancelled and awaited, and the error is thrown")
    func theErrorIsThrownPastTheLimit() {
        let gate = Promise<Void>()
        startThrowing {
            try? await untilCancelled()
            log.append("cancelled")
            await gate.valueIgnoringCancellation()
            return 7
        }
        executor.runUntilIdle()
        clock.advance(by: .seconds(9))
        executor.runUntilIdle()
        #expect(log.events.isEmpty)
        clock.advance(by: .seconds(1))
        executor.runUntilIdle()
        #expect(log.events == ["cancelled"])
        #expect(outcome.events.isEmpty, "the body has not ended yet")
        gate.fulfil(())
        executor.runUntilIdle()
        #expect(outcome.events == ["too late"])
    }

    @Test("A value that is returned after the limit is discarded once")
    func aLateValueIsDiscarded() {
        startDiscarding {
            try? await untilCancelled()
            return 7
        }
        startDiscarding {
            try? await untilCancelled()
            throw Failure(name: "body")
        }
        executor.runUntilIdle()
        clock.advance(by: .seconds(10))
        executor.runUntilIdle()
        #expect(outcome.events == ["nil", "nil"])
        #expect(log.events == ["discarded 7"])
    }

    @Test("A limit of zero expires at once")
    func aLimitCanBeZero() {
        startThrowing(limit: .zero) { try await forever() }
        executor.runUntilIdle()
        #expect(outcome.events == ["too late"])
    }

    @Test("A cancelled caller gets the value of a body that returns one")
    func aValueCountsWhenTheCallerIsCancelled() {
        let bodies: [@Sendable () async throws -> Int] = [
            { 7 },
            {
                try? await untilCancelled()
                return 8
            },
        ]
        for body in bodies {
            let callers = [startThrowing(body: body), startDiscarding(body: body)]
            executor.runUntilIdle()
            for caller in callers { caller.cancel() }
            executor.runUntilIdle()
        }
        #expect(outcome.events == ["7", "7", "8", "8"])
        #expect(log.events.isEmpty)
    }

    @Test("A cancelled caller gets a cancellation error, whatever the body throws", arguments: [true, false])
    func anErrorIsACancellationWhenTheCallerIsCancelled(_ isCancelledFirst: Bool) {
        let body: @Sendable () async throws -> Int = {
            try? await untilCancelled()
            throw Failure(name: "body")
        }
        let callers = [startThrowing(body: body), startDiscarding(body: body)]
        if !isCancelledFirst { executor.runUntilIdle() }
        for caller in callers { caller.cancel() }
        executor.runUntilIdle()
        // The limit no longer applies.
        clock.advance(by: .seconds(10))
        executor.runUntilIdle()
        #expect(outcome.events == ["CancellationError()", "CancellationError()"])
    }

    @Test("A caller that is cancelled after the limit gets the error of the limit")
    func theLimitCountsBeforeACancellation() {
        let gate = Promise<Void>()
        let body: @Sendable () async throws -> Int = {
            await gate.valueIgnoringCancellation()
            return 7
        }
        let callers = [startThrowing(body: body), startDiscarding(body: body)]
        executor.runUntilIdle()
        clock.advance(by: .seconds(10))
        executor.runUntilIdle()
        for caller in callers { caller.cancel() }
        executor.runUntilIdle()
        gate.fulfil(())
        executor.runUntilIdle()
        #expect(outcome.events == ["too late", "nil"])
        #expect(log.events == ["discarded 7"])
    }

    @Test("An inner limit does not end the outer body")
    func limitsCanBeNested() {
        startThrowing {
            try await withTimeout(.seconds(1), clock: clock) { try await forever() } ?? 8
        }
        executor.runUntilIdle()
        clock.advance(by: .seconds(1))
        executor.runUntilIdle()
        #expect(outcome.events == ["8"])
    }

    @Test("The system's clock is the default")
    func theSystemClockIsTheDefault() async throws {
        let value: Void? = try await withTimeout(.milliseconds(1)) { try await waitForCancellation() }
        #expect(value == nil)
        await #expect(throws: Failure(name: "too late")) {
            try await withTimeout(.milliseconds(1), throwing: Failure(name: "too late"), body: waitForCancellation)
        }
    }

    @discardableResult
    private func startThrowing(
        limit: Duration = .seconds(10),
        body: @escaping @Sendable () async throws -> Int
    ) -> Task<Void, any Error> {
        executor.start {
            await note {
                try await withTimeout(limit, clock: clock, throwing: Failure(name: "too late"), body: body)
            }
        }
    }

    @discardableResult
    private func startDiscarding(body: @escaping @Sendable () async throws -> Int) -> Task<Void, any Error> {
        executor.start {
            await note {
                let discard = { (late: Int) in log.append("discarded \(late)") }
                return try await withTimeout(.seconds(10), clock: clock, discarding: discard, body: body)
            }
        }
    }

    private func forever() async throws -> Int {
        try await untilCancelled()
    }

    private func note(_ operation: () async throws -> Int?) async {
        do {
            outcome.append(try await operation().map { "\($0)" } ?? "nil")
        } catch {
            outcome.append((error as? Failure)?.name ?? "\(error)")
        }
    }
}
