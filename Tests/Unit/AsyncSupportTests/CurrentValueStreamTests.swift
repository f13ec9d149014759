import AsyncSupport
import TestLimits
import Testing

@Suite("A stream follows a current value", .endsWithin(minutes: 5))
struct CurrentValueStreamTests {
    private let executor = ManualExecutor()
    private let log = EventLog<String>()

    @Test("A reader gets the present value, then the newest one, and the end when the value is finished")
    func aReaderFollowsTheValue() async {
        let value = CurrentValue(1)
        var reader = value.values().makeAsyncIterator()
        let first = await reader.next()
        value.set(2)
        value.set(3)
        let second = await reader.next()
        value.finish()
        let end = await reader.next()
        #expect([first, second, end] == [1, 3, nil])
    }

    @Test("The last value is read before the end")
    func theLastValueIsRead() async {
        let value = CurrentValue(1)
        var reader = value.values().makeAsyncIterator()
        let first = await reader.next()
        value.set(2)
        value.finish()
        let last = await reader.next()
        let end = await reader.next()
        #expect([first, last, end] == [1, 2, nil])
    }

    @Test("A stream that is made after the value was finished has the last value only")
    func aLateStreamHasTheLastValue() async {
        let value = CurrentValue(1)
        value.set(2)
        value.finish()
        var reader = value.values { $0 * 10 }.makeAsyncIterator()
        let last = await reader.next()
        let end = await reader.next()
        #expect([last, end] == [20, nil])
    }

    @Test("Each stream begins with the value as it is at its first read")
    func streamsAreIndependent() async {
        let value = CurrentValue(1)
        let (one, other) = (value.values(), value.values())
        var early = one.makeAsyncIterator()
        let first = await early.next()
        value.set(2)
        var late = other.makeAsyncIterator()
        let second = await late.next()
        let third = await early.next()
        #expect([first, second, third] == [1, 2, 2])
        // The same stream continues where its last reader has ended.
        value.set(3)
        var again = one.makeAsyncIterator()
        let fourth = await again.next()
        #expect(fourth == 3)
    }

    @Test("Cancelling one reader ends its stream and no other")
    func aCancelledReaderEnds() {
        let value = CurrentValue(1)
        let early = read(value, "early")
        early.cancel()
        let waiting = read(value, "waiting")
        read(value, "other")
        executor.runUntilIdle()
        waiting.cancel()
        executor.runUntilIdle()
        value.set(2)
        executor.runUntilIdle()
        value.finish()
        executor.runUntilIdle()
        #expect(
            log.events == [
                "early ended", "waiting 1", "other 1", "waiting ended", "other 2", "other ended",
            ]
        )
    }

    @discardableResult
    private func read(_ value: CurrentValue<Int>, _ name: String) -> Task<Void, any Error> {
        executor.start {
            for await number in value.values() { log.append("\(name) \(number)") }
            log.append("\(name) ended")
        }
    }
}
