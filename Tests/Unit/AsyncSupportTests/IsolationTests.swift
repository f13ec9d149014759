import AsyncSupport
import TestLimits
import Testing

/// An actor that runs bodies over its own state.
private actor Account {
    private var balance = 0
    private let mutex = AsyncMutex()

    func deposit(_ amount: Int) async throws -> Int {
        try await mutex.withLock {
            let before = balance
            await Task.yield()
            balance = before + amount
        }
        return try await withBackgroundTasks([{ try await untilCancelled() }]) {
            self.preconditionIsolated()
            return balance
        }
    }

    func check() async throws -> Bool {
        let isPositive = try await withTimeout(.seconds(600), throwing: CancellationError()) {
            self.preconditionIsolated()
            await Task.yield()
            self.preconditionIsolated()
            return balance > 0
        }
        let isKeyed = try await KeyedAsyncMutex<Int>().withLock(for: 1) {
            self.preconditionIsolated()
            return balance > 0
        }
        let result: Result<Int, any Error> = await Result {
            await Task.yield()
            self.preconditionIsolated()
            return balance
        }
        return try isPositive && isKeyed && result.get() > 0
    }
}

@Suite("Bodies run with the isolation of their caller", .endsWithin(minutes: 5))
struct IsolationTests {
    @Test("A body of an actor uses the state of the actor")
    func bodiesRunOnTheActor() async throws {
        let account = Account()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...20 { group.addTask { try await account.deposit(1) } }
            try await group.waitForAll()
        }
        #expect(try await account.check())
        #expect(try await account.deposit(1) == 21)
    }

    @Test("A body of the main actor runs on the main actor")
    @MainActor
    func bodiesRunOnTheMainActor() async throws {
        var count = 0
        try await withBackgroundTasks([{ try await untilCancelled() }]) {
            MainActor.preconditionIsolated()
            count += 1
        }
        try await CountingSemaphore(1).withPermit {
            MainActor.preconditionIsolated()
            count += 1
        }
        #expect(count == 2)
    }
}
