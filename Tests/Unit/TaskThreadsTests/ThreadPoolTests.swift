import Glibc
@testable import TaskThreads
import Testing
import TestLimits

@Suite("The pool's threads run tasks, and nothing else wakes them", .endsWithin(minutes: 10))
struct ThreadPoolTests {
    @Test("Each of many tasks runs, also those that enter an actor")
    func many() async throws {
        actor Counter {
            var count = 0
            func add() { count += 1 }
        }
        let counter = Counter()
        await withTaskExecutorPreference(try Self.pool()) {
            await withTaskGroup { group in
                for _ in 0..<10_000 {
                    group.addTask {
                        await Task.yield()
                        await counter.add()
                    }
                }
            }
        }
        #expect(await counter.count == 10_000)
    }

    @Test("Jobs on all threads but one do not hold up others")
    func blocked() async throws {
        await withTaskExecutorPreference(try Self.pool()) {
            await withTaskGroup { group in
                let gate = Gate()
                for _ in 1..<ThreadPool.maximumThreads { group.addTask { gate.pass() } }
                group.addTask { gate.open() }
            }
        }
    }

    @Test("What a job adds before it blocks is run by another thread")
    func blockedAfterAdding() async throws {
        await withTaskExecutorPreference(try Self.pool()) {
            await withTaskGroup { group in
                let gate = Gate()
                group.addTask {
                    async let opened: Void = gate.open()
                    gate.pass()
                    await opened
                }
            }
        }
    }

    @Test("A task sleeps until its time, and those with earlier times wake up first")
    func sleep() async throws {
        let pool = try Self.pool()
        try await withTaskExecutorPreference(pool) {
            let order = try await withThrowingTaskGroup(of: Int.self) { group in
                for (number, milliseconds) in [(3, 60), (1, 20), (2, 40)] {
                    group.addTask {
                        let begin = ContinuousClock.now
                        try await pool.sleep(until: begin + .milliseconds(milliseconds))
                        #expect(ContinuousClock.now - begin >= .milliseconds(milliseconds))
                        return number
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(order.sorted() == [1, 2, 3])
        }
    }

    @Test("A sleep ends at its time while all threads are busy with jobs that add others")
    func busy() async throws {
        let pool = try Self.pool()
        await withTaskExecutorPreference(pool) {
            await withTaskGroup { group in
                for _ in 0..<(2 * ThreadPool.maximumThreads) {
                    // The load itself: each turn adds a job, and nothing waits for an end of it.
                    group.addTask { while !Task.isCancelled { await Task.yield() } }
                }
                group.addTask { try? await pool.sleep(until: .now + .milliseconds(20)) }
                // The one that sleeps ends first.
                await group.next()
                group.cancelAll()
            }
        }
    }

    @Test("A sleep that is cancelled ends")
    func cancelled() async throws {
        let pool = try Self.pool()
        await withTaskExecutorPreference(pool) {
            await withTaskGroup { group in
                group.addTask { try? await pool.sleep(until: .now + .seconds(86_400)) }
                group.cancelAll()
            }
        }
    }

    @Test("Tasks, actors and waits run on its threads alone: none of libdispatch comes")
    func alone() async throws {
        actor Place { func thread() -> pthread_t { pthread_self() } }
        let (pool, place) = (try Self.pool(), Place())
        let threads = try await withTaskExecutorPreference(pool) {
            try await withThrowingTaskGroup(of: pthread_t.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        if number % 3 == 0 { try await pool.sleep(until: .now + .milliseconds(1)) }
                        return number % 2 == 0 ? await place.thread() : pthread_self()
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
        }
        #expect(threads.count <= ThreadPool.maximumThreads)
    }

    private static func pool() throws -> ThreadPool {
        let pool = try #require(ThreadPool())
        try #require(pool.start())
        return pool
    }
}

/// What some threads wait for, blocked, until another one opens it.
private final class Gate: Sendable {
    private let pipe: (reading: CInt, writing: CInt)

    init() {
        var ends: [CInt] = [-1, -1]
        precondition(Glibc.pipe(&ends) == 0)
        pipe = (ends[0], ends[1])
    }

    deinit { close(pipe.reading) }

    func pass() {
        var byte: UInt8 = 0
        _ = read(pipe.reading, &byte, 1)
    }

    func open() { close(pipe.writing) }
}
