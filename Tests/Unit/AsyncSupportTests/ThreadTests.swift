import AsyncSupport
import TestLimits
import Testing

/// These tests run on the threads of the system, where one task is cancelled while another one resumes it.
@Suite("The primitives work on several threads at once", .endsWithin(minutes: 5))
struct ThreadTests {
    private static let rounds = 300

    @Test("A semaphore has all its permits again after some of its waiters were cancelled")
    func aSemaphoreKeepsItsPermits() async {
        for round in 0..<Self.rounds {
            let semaphore = CountingSemaphore(2)
            let holders = HolderCount<Int>()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try? await semaphore.withPermit {
                            #expect(holders.enter(0) <= 2)
                            await Task.yield()
                            holders.leave(0)
                        }
                    }
                }
                if round.isMultiple(of: 2) { group.cancelAll() }
            }
            #expect(semaphore.availablePermits == 2)
        }
    }

    @Test("A keyed mutex admits one task for each key and forgets the key, even if some waiters are cancelled")
    func aKeyedMutexAdmitsOneTaskForEachKey() async {
        for round in 0..<Self.rounds {
            let mutex = KeyedAsyncMutex<Int>()
            let holders = HolderCount<Int>()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    let key = number % 2
                    group.addTask {
                        try? await mutex.withLock(for: key) {
                            #expect(holders.enter(key) == 1)
                            await Task.yield()
                            holders.leave(key)
                        }
                    }
                }
                if round.isMultiple(of: 2) { group.cancelAll() }
            }
            #expect(mutex.keyCount == 0)
        }
    }

    @Test("A wait that is woken and cancelled at the same time is resumed once")
    func aWaitIsResumedOnce() async {
        for _ in 0..<Self.rounds {
            let value = CurrentValue(0)
            let promise = Promise<Int>()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await value.changed(since: value.initial) }
                group.addTask { _ = try? await promise.value() }
                group.addTask { #expect(await promise.valueIgnoringCancellation() == 1) }
                group.addTask { value.set(1) }
                group.addTask { promise.fulfil(1) }
                group.cancelAll()
            }
        }
    }

    @Test("Every reader sees the last change when several tasks change a value")
    func readersSeeTheLastChange() async {
        for _ in 0..<Self.rounds / 10 {
            let value = CurrentValue(0)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        var last = 0
                        for await number in value.values() {
                            #expect(number >= last)
                            last = number
                            if number == 300 { return }
                        }
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        for number in 0..<100 {
                            value.modify { $0 += 1 }
                            if number.isMultiple(of: 16) { await Task.yield() }
                        }
                    }
                }
            }
        }
    }

    @Test("Cancelling readers while the value changes does not block the writer")
    func cancelledReadersDoNotBlockTheWriter() async {
        let value = CurrentValue(0)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    value.modify { $0 += 1 }
                    // On a single processor, this lets the other tasks run as well.
                    if value.value.isMultiple(of: 64) { await Task.yield() }
                }
            }
            for _ in 0..<2000 {
                await withTaskGroup(of: Void.self) { readers in
                    let hasBegun = Promise<Void>()
                    readers.addTask {
                        for await _ in value.values() { hasBegun.fulfil(()) }
                    }
                    await hasBegun.valueIgnoringCancellation()
                    readers.cancelAll()
                }
            }
            group.cancelAll()
        }
    }

    @Test("A runner that ends while work is added runs or refuses each piece of it")
    func aRunnerEndsWhileWorkIsAdded() async {
        for _ in 0..<Self.rounds {
            let runner = UncancelledTaskRunner(errorAfterEnd: Failure(name: "ended"))
            await withTaskGroup(of: Void.self) { group in
                let run = Promise<Void>()
                group.addTask {
                    _ = try? await withBackgroundTasks([{ await runner.run() }]) { try await run.value() }
                }
                for _ in 0..<4 {
                    group.addTask {
                        let result: Result<Int, any Error> = await Result { try await runner.perform { 7 } }
                        switch result {
                        case .success(let value): #expect(value == 7)
                        case .failure(let error): #expect(error as? Failure == Failure(name: "ended"))
                        }
                    }
                }
                group.addTask { run.fulfil(()) }
            }
        }
    }
}
