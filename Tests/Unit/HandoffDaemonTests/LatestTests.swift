import HandoffDaemon
import TestLimits
import Testing

@Suite("The latest value is what counts", .endsWithin(minutes: 10))
struct LatestTests {
    @Test("whoever comes late has the newest value at once, and misses those between")
    func newest() async throws {
        let latest = Latest(0)
        for value in 1...5 { latest.set(value) }
        let version = try await latest.changed(since: latest.initial)
        #expect(version.value == 5)
        #expect(version.number == latest.current.number)
    }

    @Test("whoever waits is woken by a change, everybody of them")
    func waking() async throws {
        let latest = Latest("")
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await latest.changed(since: latest.initial).value } }
            await Task.yield()
            latest.set("new")
            for try await value in group { #expect(value == "new") }
        }
    }

    @Test("the same value again is no change where values can be compared")
    func sameValue() {
        let latest = Latest(1)
        latest.update(1)
        #expect(latest.current.number == 0)
        latest.update(2)
        #expect(latest.current.number == 1)
        latest.set(2)
        #expect(latest.current.number == 2)
    }

    @Test("a wait that is cancelled ends, before and after it began", arguments: [false, true])
    func cancellation(_ isCancelledFirst: Bool) async {
        let latest = Latest(0)
        let outcome = await withTaskGroup(of: Bool.self) { group in
            if isCancelledFirst { group.cancelAll() }
            group.addTask {
                do {
                    _ = try await latest.changed(since: latest.initial)
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            await Task.yield()
            group.cancelAll()
            return await group.next()
        }
        #expect(outcome == true)
    }

    @Test("a wait that was cancelled leaves the mailbox usable for the next one")
    func usableAfterwards() async throws {
        let latest = Latest(0)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await latest.changed(since: latest.initial) }
            group.cancelAll()
        }
        latest.set(1)
        #expect(try await latest.changed(since: latest.initial).value == 1)
    }

    @Test("setting and cancelling at once resume each wait exactly once")
    func race() async {
        for _ in 0..<500 {
            let latest = Latest(0)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await latest.changed(since: latest.initial) }
                group.addTask { latest.set(1) }
                group.cancelAll()
            }
        }
    }
}
