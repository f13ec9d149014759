import BlueZ
import Synchronization
import HandoffTestSupport
import TestLimits
import Testing

private struct Reason: Error, Equatable {}

@Suite("Companions", .endsWithin(minutes: 10))
struct CompanionTests {
    @Test("what the body gives comes through, and companions end with it")
    func body() async throws {
        let value = try await withCompanions([{ try await cancellation() }, {}]) { 7 }
        #expect(value == 7)
    }

    @Test("a companion that throws cancels the body, and its error counts")
    func companion() async {
        await #expect(throws: Reason()) {
            try await withCompanions([{ throw Reason() }]) { try await cancellation() }
        }
    }

    @Test("when the caller is cancelled, what the body throws counts")
    func cancelled() async {
        let (starts, started) = AsyncStream<Void>.makeStream()
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let forever: @Sendable () async throws -> Void = {
                    try? await cancellation()
                    throw CancellationError()
                }
                try await withCompanions([forever]) {
                    started.yield()
                    try? await cancellation()
                    throw Reason()
                }
            }
            for await _ in starts { break }
            group.cancelAll()
            await #expect(throws: Reason()) { try await group.next() }
        }
    }
}

@Suite("Time limits", .endsWithin(minutes: 10))
struct TimeLimitTests {
    @Test("what comes too late is given to whoever cleans up, and to nobody else")
    func late() async throws {
        let discarded = Mutex<[Int]>([])
        let given = try await withTimeLimit(
            .milliseconds(1),
            discarding: { value in discarded.withLock { $0.append(value) } },
            {
                // The system call that was under way came to its end all the same.
                try? await cancellation()
                return 7
            }
        )
        #expect(given == nil)
        #expect(discarded.withLock(\.self) == [7])
    }

    @Test("what comes in time is not")
    func inTime() async throws {
        let given = try await withTimeLimit(.seconds(600), discarding: { (_: Int) in Issue.record("discarded") }, { 7 })
        #expect(given == 7)
    }
}

@Suite("Turns", .endsWithin(minutes: 10))
struct TurnstileTests {
    @Test("one at a time, in order, and who is cancelled while waiting does not get in")
    func order() async throws {
        let turnstile = Turnstile()
        let entered = Mutex<[Int]>([])
        let (ends, end) = AsyncStream<Void>.makeStream()
        let (starts, started) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await turnstile.withTurn {
                    started.yield()
                    for await _ in ends { break }
                }
            }
            for await _ in starts { break }
            let waiter = Task { try await turnstile.withTurn { Issue.record("a cancelled waiter got in") } }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            end.yield()
            try await group.waitForAll()
        }
        for number in 0..<3 { try await turnstile.withTurn { entered.withLock { $0.append(number) } } }
        #expect(entered.withLock(\.self) == [0, 1, 2])
    }
}

@Suite("Errands", .endsWithin(minutes: 10))
struct ErrandTests {
    @Test("an errand is done although who asked for it was cancelled")
    func cancelled() async throws {
        let errands = Errands()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await errands.run() }
            let asker = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await errands.perform {
                    try Task.checkCancellation()
                    return 7
                }
            }
            let value = try await asker.value
            #expect(value == 7)
            group.cancelAll()
            try await group.waitForAll()
        }
        let refused = await #expect(throws: BlueZError.self) { try await errands.perform {} }
        #expect(refused?.code == .busLost, "nobody cancelled the caller")
    }
}

@Suite("Broadcasts", .endsWithin(minutes: 10))
struct BroadcastTests {
    @Test("a reader gets the value as it is, then the newest; and an end")
    func values() async {
        let broadcast = Broadcast(1)
        var reader = broadcast.values().makeAsyncIterator()
        let first = await reader.next()
        broadcast.publish(2)
        broadcast.publish(3)
        let second = await reader.next()
        broadcast.finish()
        let end = await reader.next()
        #expect([first, second, end] == [1, 3, nil])
        var late = broadcast.values().makeAsyncIterator()
        let value = await late.next()
        let last = await late.next()
        #expect([value, last] == [3, nil])
    }

    @Test("readers that are cancelled while they are told do not stop the teller")
    func cancelledReaders() async {
        let broadcast = Broadcast(0)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var number = 0
                while !Task.isCancelled {
                    number += 1
                    broadcast.publish(number)
                    // Where there is one processor, the others have to run as well.
                    if number.isMultiple(of: 64) { await Task.yield() }
                }
            }
            for _ in 0..<2000 {
                await withTaskGroup(of: Void.self) { readers in
                    let (starts, started) = AsyncStream<Void>.makeStream()
                    readers.addTask {
                        for await _ in broadcast.values() { started.yield() }
                    }
                    for await _ in starts { break }
                    readers.cancelAll()
                }
            }
            group.cancelAll()
        }
    }
}
